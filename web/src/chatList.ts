/** The list of chats, as it is shown. */
import type { Ask, ChatView } from "./api/types";

/** Those that were pinned, then the others, each in the order that was given. */
export function pinnedFirst(chats: readonly ChatView[]): ChatView[] {
  return [...chats.filter((chat) => chat.pinned), ...chats.filter((chat) => !chat.pinned)];
}

/** What stands before the title of the tab: how many wait for the person, or that something is being answered. */
export function tabMark(chats: readonly ChatView[], asks: readonly Ask[]): string {
  const waiting = new Set(asks.map((ask) => ask.chat_id ?? ask.run_id)).size;
  if (waiting > 0) return `(${String(waiting)}) asks you · `;
  return chats.some((chat) => chat.busy) ? "… " : "";
}
