/** Browser notifications, for turns that end or need the user while the page is in the background. */
import { useEffect, useState } from "react";

import { words } from "./state/words";
import { onEnvelopes } from "./state/socket";
import type { Envelope } from "./api/types";

/** The notification for a frame; null if there is none. */
export function noticeOf({ frame }: Pick<Envelope, "frame">): string | null {
  switch (frame.type) {
    case "asked":
      return "Needs your approval";
    case "turn_end":
      return frame.stop_reason === "aborted" ? null : (words().stops[frame.stop_reason]?.label ?? "The turn has ended");
    case "run_end":
      return "A run has ended";
    default:
      return null;
  }
}

/** Show it if the page is in the background and the user allows notifications. */
export function useNotifications(titleOf: (chatId: string) => string | undefined): void {
  useEffect(
    () =>
      onEnvelopes((envelopes) => {
        if (!("Notification" in window) || Notification.permission !== "granted" || !document.hidden) return;
        for (const envelope of envelopes) {
          const notice = noticeOf(envelope);
          const chat = envelope.chat_id;
          if (notice) new Notification(notice, { body: (chat && titleOf(chat)) || "Mulligan", tag: chat ?? "mulligan" });
        }
      }),
    [titleOf],
  );
}

/** Whether the browser would ask the user, and how to make it ask: only by a click. */
export function useNotificationOffer(): { offered: boolean; ask: () => void } {
  const [permission, setPermission] = useState(() => ("Notification" in window ? Notification.permission : "denied"));
  const ask = () => {
    void Notification.requestPermission().then(setPermission);
  };
  return { offered: permission === "default", ask };
}
