import type { Message, Sentinel } from "./messages";
import { turnOf } from "./messages";

/** One line of the conversation: a message, and for a turn the sentinels that bent it on its way. */
export interface Row {
  message: Message;
  insets: Message[];
  /** The sentinel that stopped the turn, which has a row of its own. */
  closing: Message | null;
}

/** Messages in order. A sentinel after which its turn went on stands inside the turn, where it happened. */
export function layOut(messages: readonly Message[]): Row[] {
  const rows: Row[] = [];
  let turn: Row | null = null;
  for (const message of messages) {
    if (turn && message.role === "system" && message.step != null && bends(message.metadata)) {
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

/** A sentinel, and how often its like was raised in the turn. */
export interface Repeated {
  message: Message;
  count: number;
}

/** Sentinels of one kind within a turn as one, the latest, with their number. */
export function foldRepeated(insets: readonly Message[]): Repeated[] {
  const kinds = new Map<string, Repeated>();
  for (const message of insets) {
    const count = (kinds.get(message.metadata.kind)?.count ?? 0) + 1;
    kinds.set(message.metadata.kind, { message, count });
  }
  return [...kinds.values()];
}

/** Rows that are laid out together. */
export interface Stretch {
  key: number;
  rows: Row[];
}

const STRETCH = 20;

/** By place in the chat, so that a row stays in its stretch when earlier messages are loaded. */
export function stretches(rows: readonly Row[]): Stretch[] {
  const found: Stretch[] = [];
  for (const row of rows) {
    const key = Math.floor(row.message.seq / STRETCH);
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
    one.insets.every((inset, place) => inset === other.insets[place])
  );
}

/** The sentinel that may offer Continue: the newest, and only while nothing was said after it. */
export function newestSentinel(messages: readonly Message[]): Message | null {
  for (let place = messages.length - 1; place >= 0; place -= 1) {
    const message = messages[place];
    if (message?.role === "user") return null;
    if (message?.role === "system") return message;
  }
  return null;
}

/** Whether this sentinel comes with Continue, or with why not. */
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

/** Whether the turn goes on after it. */
export function bends(metadata: Message["metadata"]): boolean {
  switch (metadata.kind) {
    case "mistake_recovery":
      return !metadata.escalated;
    case "compacted":
      return !metadata.asked_for;
    default:
      return metadata.kind === "reply_cut";
  }
}
