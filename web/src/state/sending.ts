/** Messages from the moment they are sent until the server announces their position. None is lost on the way. */
import type { AttachmentInfo, ChatDetail } from "../api/types";
import { textOf } from "../conversation/messages";
import { get, set, update } from "./chatStore";
import { writeImages } from "./draftImages";
import { draftKey, readDraft, writeDraft } from "./drafts";
import type { ChatState } from "./fold";
import { SENDING, newest, prompt, put, sendingMessage, withoutSending } from "./messages";

export interface OutgoingMessage {
  text: string;
  images: readonly AttachmentInfo[];
}

/** First messages of chats that were started here and are not loaded yet. */
export const firstMessages = new Map<string, OutgoingMessage>();
/** Chats whose last message the server has accepted. */
export const accepted = new Set<string>();
/** Errors in chats that are not loaded yet. */
export const failures = new Map<string, string>();

/** Show a chat that was just loaded, together with what only this page knows about it. */
export function show(chatId: string, loaded: ChatState): void {
  const message = firstMessages.get(chatId);
  firstMessages.delete(chatId);
  const failure = failures.get(chatId);
  failures.delete(chatId);
  const unconfirmed = message !== undefined && !loaded.messages.some((each) => each.role === "user");
  set(chatId, { ...(unconfirmed ? withSending(loaded, message) : loaded), error: failure ?? loaded.error });
  if (unconfirmed && !loaded.busy) returnToComposer(chatId);
}

export function withSending(state: ChatState, { text, images }: OutgoingMessage): ChatState {
  const identity = { id: SENDING, chatId: state.detail.chat.id, seq: newest(state.messages) + 1 };
  const message = prompt({ ...identity, text, attached: [...images] }, Date.now());
  return { ...state, messages: put(state.messages, message), busy: true };
}

/** A message failed before it was stored: put it back into the composer. */
export function returnToComposer(chatId: string): void {
  const message = sendingMessage(get(chatId)?.messages ?? []);
  if (message === null) return;
  const key = draftKey.chat(chatId);
  if (!readDraft(key)) {
    writeDraft(key, message.text);
    if (message.images.length > 0) writeImages(key, message.images);
  }
  update(chatId, (state) => ({ ...state, messages: withoutSending(state.messages), busy: false }));
}

/**
 * If a restore removed the answer to the last question, the question returns to the composer, in every tab; an undo
 * removes it there. A draft of the user stays.
 */
export function restoreQuestion(chatId: string, { messages, restores }: ChatDetail): void {
  const key = draftKey.chat(chatId);
  const draft = readDraft(key);
  const question = questionToAsk(messages, restores);
  if (question?.open && !draft) writeDraft(key, question.text);
  if (question && !question.open && draft === question.text) writeDraft(key, "");
}

/** The newest question after a restore or its undo, and whether it has no answer now. */
export function questionToAsk(
  messages: ChatDetail["messages"],
  restores: ChatDetail["restores"],
): { text: string; open: boolean } | null {
  const last = messages.findLast(({ metadata }) => metadata.kind === "prompt" && !metadata.continues);
  const restored = restores.at(-1);
  if (!last || !restored) return null;
  const open = !restored.undoes && last === messages.at(-1) && restored.at_seq > last.seq;
  return open || restored.undoes ? { text: textOf(last), open } : null;
}
