import type { Message, Sentinel } from "./messages";
import { turnOf } from "./messages";

/** One row of the conversation: a message, and for a turn the sentinels that changed its course. */
export interface Row {
  message: Message;
  insets: Message[];
  /** The sentinel that stopped the turn, which has its own row. */
  closing: Message | null;
}

/** Messages in order. A sentinel after which its turn continued is shown inside the turn, where it happened. */
export function layOut(messages: readonly Message[]): Row[] {
  const rows: Row[] = [];
  let turn: Row | null = null;
  for (const message of messages) {
    if (turn && message.role === "system" && message.step != null && continuesTurn(message.metadata)) {
      turn.insets.push(message);
      continue;
    }
    const row: Row = { message, insets: [], closing: null };
    rows.push(row);
    if (turn && message.role === "system") turn.closing = message;
    if (message.role === "user") turn = null;
    if (message.role === "assistant" && turnOf(message)?.parent_message_id == null) turn = row;
  }
  return rows;
}

/** A sentinel, and how many of its kind were raised in the turn. */
export interface Repeated {
  message: Message;
  count: number;
}

/** Sentinels of one kind in a turn as one: the latest, with a count. */
export function foldRepeated(insets: readonly Message[]): Repeated[] {
  const kinds = new Map<string, Repeated>();
  for (const message of insets) {
    const count = (kinds.get(message.metadata.kind)?.count ?? 0) + 1;
    kinds.set(message.metadata.kind, { message, count });
  }
  return [...kinds.values()];
}

/** Rows that are laid out together. */
export interface Chunk {
  key: number;
  rows: Row[];
}

const CHUNK_SIZE = 20;

/** By position in the chat, so that a row stays in its block when earlier messages are loaded. */
export function chunksOf(rows: readonly Row[]): Chunk[] {
  const found: Chunk[] = [];
  for (const row of rows) {
    const key = Math.floor(row.message.seq / CHUNK_SIZE);
    const last = found.at(-1);
    if (last?.key === key) last.rows.push(row);
    else found.push({ key, rows: [row] });
  }
  return found;
}

export function sameRow(one: Row, other: Row): boolean {
  return (
    one.message === other.message &&
    one.closing === other.closing &&
    one.insets.length === other.insets.length &&
    one.insets.every((inset, index) => inset === other.insets[index])
  );
}

/** The sentinel that may offer Continue: the newest, and only if no message follows it. */
export function newestSentinel(messages: readonly Message[]): Message | null {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === "user") return null;
    if (message?.role === "system") return message;
  }
  return null;
}

/** Whether this sentinel offers Continue, or says why not. */
export function offersContinue(sentinel: Sentinel): boolean {
  return "can_continue" in sentinel && sentinel.can_continue != null;
}

/** Things by the message that they belong to. */
export function byMessage<Thing>(
  things: readonly Thing[],
  idOf: (thing: Thing) => string | null,
): ReadonlyMap<string, readonly Thing[]> {
  const found = new Map<string, Thing[]>();
  for (const thing of things) {
    const id = idOf(thing);
    if (id === null) continue;
    const known = found.get(id);
    if (known) known.push(thing);
    else found.set(id, [thing]);
  }
  return found;
}

/** Whether the turn continues after it. */
export function continuesTurn(metadata: Message["metadata"]): boolean {
  switch (metadata.kind) {
    case "mistake_recovery":
      return !metadata.escalated;
    case "compacted":
      return !metadata.asked_for;
    default:
      return metadata.kind === "reply_cut";
  }
}
