/** Unsent messages, stored as long as the tab is open. Other views may fill a draft too. */
import { useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

export const draftKey = {
  chat: (chatId: string) => `draft:${chatId}`,
  newChat: (projectId: string) => `draft:new:${projectId}`,
};

export function readDraft(key: string): string {
  return sessionStorage.getItem(key) ?? "";
}

export function writeDraft(key: string, text: string): void {
  if (text) sessionStorage.setItem(key, text);
  else sessionStorage.removeItem(key);
  listeners.forEach((listener) => {
    listener();
  });
}

export function useDraft(key: string): string {
  return useSyncExternalStore(listen, () => readDraft(key));
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
