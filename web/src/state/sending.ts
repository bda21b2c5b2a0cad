/** Messages from the moment they are sent until the server tells their place. None is lost on the way. */
import { get, set, update } from "./chatStore";
import { draftKey, readDraft, writeDraft } from "./drafts";
import type { ChatState } from "./fold";
import { SENDING, newest, prompt, put, sendingText, withoutSending } from "./messages";

/** First messages of chats that were begun here and are not loaded yet. */
export const begun = new Map<string, string>();
/** Chats whose last message the server has accepted. */
export const accepted = new Set<string>();
/** What went wrong in chats that are not loaded yet. */
export const failures = new Map<string, string>();

/** A chat that was just loaded, together with what only this page knows of it. */
export function show(chatId: string, loaded: ChatState): void {
  const text = begun.get(chatId);
  begun.delete(chatId);
  const failure = failures.get(chatId);
  failures.delete(chatId);
  const unheard = text !== undefined && !loaded.messages.some((each) => each.role === "user");
  set(chatId, { ...(unheard ? withSending(loaded, text) : loaded), error: failure ?? loaded.error });
  if (unheard && !loaded.busy) giveBack(chatId);
}

export function withSending(state: ChatState, text: string): ChatState {
  const place = { id: SENDING, chatId: state.detail.chat.id, seq: newest(state.messages) + 1 };
  return { ...state, messages: put(state.messages, prompt({ ...place, text }, Date.now())), busy: true };
}

/** A message came to nothing before it was stored: the person finds it in the composer again. */
export function giveBack(chatId: string): void {
  const text = sendingText(get(chatId)?.messages ?? []);
  if (text === null) return;
  if (!readDraft(draftKey.chat(chatId))) writeDraft(draftKey.chat(chatId), text);
  update(chatId, (state) => ({ ...state, messages: withoutSending(state.messages), busy: false }));
}
