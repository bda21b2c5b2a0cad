/** The loaded chats. */
import { create } from "zustand";

import type { ChatState } from "./fold";

interface Chats {
  chats: Readonly<Record<string, ChatState>>;
  /** Why a chat could not be loaded. */
  problems: Readonly<Record<string, string>>;
}

/** Most chats that stay loaded although no view shows them. */
const KEPT = 10;

export const useChats = create<Chats>(() => ({ chats: {}, problems: {} }));

/** How many views show a chat; the one that was opened last comes last. */
export const watched = new Map<string, number>();

export function get(chatId: string): ChatState | undefined {
  return useChats.getState().chats[chatId];
}

export function set(chatId: string, chat: ChatState): void {
  const { chats, problems } = useChats.getState();
  const others = Object.fromEntries(Object.entries(problems).filter(([id]) => id !== chatId));
  useChats.setState({ chats: { ...chats, [chatId]: chat }, problems: others });
}

export function update(chatId: string, change: (state: ChatState) => ChatState): void {
  const state = get(chatId);
  if (state) set(chatId, change(state));
}

/** Remove a deleted chat, so that nothing requests it again. */
export function forget(chatId: string): void {
  useChats.setState(({ chats }) => ({ chats: Object.fromEntries(Object.entries(chats).filter(([id]) => id !== chatId)) }));
}

export function setProblem(chatId: string, words: string): void {
  useChats.setState(({ problems }) => ({ problems: { ...problems, [chatId]: words } }));
}

export function forgetOldest(): void {
  const old = new Set([...watched].filter(([, views]) => views === 0).slice(0, -KEPT).map(([chatId]) => chatId));
  if (old.size === 0) return;
  for (const chatId of old) watched.delete(chatId);
  const { chats } = useChats.getState();
  useChats.setState({ chats: Object.fromEntries(Object.entries(chats).filter(([chatId]) => !old.has(chatId))) });
}
