import "../styles/conversation.css";

import { type KeyboardEvent, type RefObject, useEffect, useId, useRef } from "react";

import { Button } from "../components/Button";
import { takesLetters } from "../shortcuts";
import { chatActions } from "../state/chat";
import { Markdown } from "./Markdown";
import type { Ask } from "./messages";
import { useAttempt } from "./useAttempt";

/** Something that work waits for. With the focus on it, y and n answer. */
export function AskCard({ ask }: { ask: Ask }) {
  const { problem, underWay, attempt } = useAttempt();
  const card = useRef<HTMLElement>(null);
  const titleId = useId();
  useBorrowedFocus(card);
  const answer = (granted: boolean) => {
    if (!underWay) attempt(() => chatActions.answer(ask.id, granted));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const granted = { y: true, n: false }[event.key];
    if (granted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    // Elsewhere on the page n begins a new chat.
    event.preventDefault();
    event.stopPropagation();
    answer(granted);
  };
  return (
    <section ref={card} className="ask" tabIndex={-1} aria-labelledby={titleId} onKeyDown={onKeyDown}>
      <p id={titleId} className="card-label">
        May this be done?
      </p>
      <pre className="ask-what" tabIndex={0} aria-label="What is asked for">
        {ask.what}
      </pre>
      <div className="ask-reason">
        <Markdown text={ask.reason} />
      </div>
      <div className="card-buttons">
        <Button
          look="primary"
          disabled={underWay}
          aria-keyshortcuts="y"
          onClick={() => {
            answer(true);
          }}
        >
          Allow <kbd>y</kbd>
        </Button>
        <Button
          disabled={underWay}
          aria-keyshortcuts="n"
          onClick={() => {
            answer(false);
          }}
        >
          Deny <kbd>n</kbd>
        </Button>
      </div>
      {problem && <p role="alert">{problem}</p>}
    </section>
  );
}

/** Take the focus unless the person is typing, and give it back. */
function useBorrowedFocus(card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const before = document.activeElement;
    const own = card.current;
    if (!own || takesLetters(before)) return;
    own.focus({ preventScroll: true });
    return () => {
      // When the card is taken out, the focus that was in it falls to the body.
      const inCard = document.activeElement === own || document.activeElement === document.body;
      if (inCard && before instanceof HTMLElement) before.focus();
    };
  }, [card]);
}
