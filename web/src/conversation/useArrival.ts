import { type RefObject, useEffect } from "react";
import { useSearch } from "wouter";

import { chatActions } from "../state/chat";
import { get } from "../state/chatStore";

/** An address may name a position in the chat, `?at=12`: messages up to it are loaded, and that one gets the focus. */
export function useArrival(chatId: string, scroller: RefObject<HTMLElement | null>): void {
  const at = Number(new URLSearchParams(useSearch()).get("at") ?? Number.NaN);
  useEffect(() => {
    if (!Number.isInteger(at)) return;
    let current = true;
    void arrive(chatId, at).then(() => {
      // After the loaded messages have been rendered.
      requestAnimationFrame(() => {
        const message = scroller.current?.querySelector<HTMLElement>(`[data-seq="${String(at)}"]`);
        if (!current || !message) return;
        message.scrollIntoView({ block: "center" });
        message.focus({ preventScroll: true });
      });
    });
    return () => {
      current = false;
    };
  }, [at, chatId, scroller]);
}

async function arrive(chatId: string, at: number): Promise<void> {
  for (;;) {
    const state = get(chatId);
    const first = state?.messages[0]?.seq ?? 0;
    if (!state?.detail.earlier || first <= at) return;
    await chatActions.loadEarlier(chatId);
    if (get(chatId)?.messages[0]?.seq === first) return;
  }
}
