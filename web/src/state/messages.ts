/** Messages ordered by position. Only changed messages are new objects. */
import type { AttachmentInfo, Message } from "../api/types";

/** The id of the user's message from the moment it is sent until the server announces its position. */
export const SENDING = "sending";

/** Insert a message at its position, replacing the one there. */
export function put(messages: readonly Message[], message: Message): Message[] {
  const after = messages.findLastIndex((each) => each.seq < message.seq) + 1;
  const rest = messages.slice(after).filter((each) => each.seq !== message.seq);
  return [...messages.slice(0, after), message, ...rest];
}

/** Change one message, if it is there and still streams. */
export function touch(
  messages: readonly Message[],
  id: string,
  change: (message: Message) => Message,
): readonly Message[] {
  const at = messages.findLastIndex((each) => each.id === id);
  const found = messages[at];
  return found?.status === "streaming" ? messages.with(at, change(found)) : messages;
}

export function withoutSending(messages: readonly Message[]): readonly Message[] {
  return messages.some((each) => each.id === SENDING) ? messages.filter((each) => each.id !== SENDING) : messages;
}

export function sendingMessage(messages: readonly Message[]): { text: string; images: readonly AttachmentInfo[] } | null {
  const found = messages.findLast((each) => each.id === SENDING);
  const part = found?.parts[0];
  if (part?.kind !== "text") return null;
  return { text: part.text, images: found?.metadata.kind === "prompt" ? found.metadata.attached : [] };
}

export function newest(messages: readonly Message[]): number {
  return messages.at(-1)?.seq ?? 0;
}

/** A user's message, before the server has sent its id. */
export function prompt(
  given: { id: string; chatId: string; seq: number; text: string; continues?: boolean; attached?: AttachmentInfo[] },
  now: number,
): Message {
  return {
    id: given.id,
    chat_id: given.chatId,
    seq: given.seq,
    role: "user",
    status: "complete",
    metadata: { kind: "prompt", continues: given.continues ?? false, attached: given.attached ?? [], is_note: false },
    parts: [{ kind: "text", text: given.text, by_mulligan: false }],
    created_at: now / 1000,
  };
}

/** An answer that has just started. */
export function answer(
  given: { id: string; chatId: string; seq: number; agent: string; model: string; parent?: string },
  now: number,
): Message {
  return {
    id: given.id,
    chat_id: given.chatId,
    seq: given.seq,
    role: "assistant",
    status: "streaming",
    metadata: {
      kind: "turn",
      agent: given.agent,
      model: given.model,
      explanation: "",
      steps: 0,
      duration_ms: 0,
      context_tokens: 0,
      instructions: [],
      ...(given.parent ? { parent_message_id: given.parent } : {}),
    },
    parts: [],
    created_at: now / 1000,
  };
}
