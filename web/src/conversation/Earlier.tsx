import { type RefObject, useEffect, useRef } from "react";

import { chatActions } from "../state/chat";
import { useAttempt } from "./useAttempt";

interface Props {
  chatId: string;
  scroller: RefObject<HTMLElement | null>;
}

/** Above the first message: loads those before it as soon as it comes near the screen. */
export function Earlier({ chatId, scroller }: Props) {
  const { problem, underWay, attempt } = useAttempt();
  const button = useRef<HTMLButtonElement>(null);
  const ready = !underWay && problem === null;
  useEffect(() => {
    const element = button.current;
    if (!element || !ready) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) attempt(() => chatActions.loadEarlier(chatId));
      },
      // Far enough ahead that users who scroll rarely see the end of what is loaded.
      { root: scroller.current, rootMargin: "1200px 0px 0px" },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [attempt, chatId, ready, scroller]);
  return (
    <div className="conversation-earlier">
      <button
        ref={button}
        type="button"
        className="text-button"
        disabled={underWay}
        onClick={() => {
          attempt(() => chatActions.loadEarlier(chatId));
        }}
      >
        {underWay ? "Loading earlier messages…" : "Load earlier messages"}
      </button>
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}
