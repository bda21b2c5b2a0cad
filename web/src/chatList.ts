/** Sorts the list of chats, and words the tab's title. */
import type { Ask, ChatView } from "./api/types";

/** Pinned chats first, otherwise in the given order. */
export function pinnedFirst(chats: readonly ChatView[]): ChatView[] {
  return [...chats.filter((chat) => chat.pinned), ...chats.filter((chat) => !chat.pinned)];
}

/** The prefix of the tab's title: how many questions wait for the user, or that something is being answered. */
export function tabMark(chats: readonly ChatView[], asks: readonly Ask[]): string {
  const waiting = new Set(asks.map((ask) => ask.chat_id ?? ask.run_id)).size;
  if (waiting > 0) return `(${String(waiting)}) asks you · `;
  return chats.some((chat) => chat.busy) ? "… " : "";
}
