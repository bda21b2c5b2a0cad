import "../styles/conversation.css";

import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from "react";

import { Button } from "../components/Button";
import { takesLetters } from "../shortcuts";
import { chatActions } from "../state/chat";
import type { Ask } from "./messages";
import { useAttempt } from "./useAttempt";

/** Something that work waits for. With the focus on it, y and n answer, and a where a yes can be for good; a yes counts once all of it was on the screen. */
export function AskCard({ ask }: { ask: Ask }) {
  const { problem, underWay, attempt } = useAttempt();
  const card = useRef<HTMLElement>(null);
  const what = useRef<HTMLPreElement>(null);
  const titleId = useId();
  const seen = useSeenWhole(what);
  useBorrowedFocus(card);
  const answer = (granted: boolean, remember = false) => {
    if (!underWay && (seen || !granted)) attempt(() => chatActions.answer(ask.id, granted, remember));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const remember = event.key === "a" && ask.can_remember;
    const granted = remember || { y: true, n: false }[event.key];
    if (granted === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    // Elsewhere on the page n begins a new chat.
    event.preventDefault();
    event.stopPropagation();
    answer(granted, remember);
  };
  return (
    <section ref={card} className="ask" tabIndex={-1} aria-labelledby={titleId} onKeyDown={onKeyDown}>
      <p id={titleId} className="card-label">
        May this be done?
      </p>
      {/* The letters stay in the order in which they are run. */}
      <pre ref={what} className="ask-what" dir="ltr" aria-label="What is asked for">
        <span />
        {ask.what}
        <span />
      </pre>
      {/* Plain: it may repeat what a model wrote. */}
      <p className="ask-reason">{ask.reason}</p>
      <div className="card-buttons">
        <Button
          look="primary"
          disabled={underWay || !seen}
          aria-keyshortcuts="y"
          onClick={() => {
            answer(true);
          }}
        >
          Allow <kbd>y</kbd>
        </Button>
        {ask.can_remember && (
          <Button
            disabled={underWay || !seen}
            aria-keyshortcuts="a"
            title="Gives all commands of this project the network from now on. `mulligan sandbox forget` takes it back."
            onClick={() => {
              answer(true, true);
            }}
          >
            Always allow the network <kbd>a</kbd>
          </Button>
        )}
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
      {!seen && <p className="ask-unseen">Scroll through all of it first: from its first line to its last.</p>}
      {problem && <p role="alert">{problem}</p>}
    </section>
  );
}

/** Whether both ends of an element, marked by its first and last child, have been on the screen. */
function useSeenWhole(element: RefObject<HTMLElement | null>): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const unseen = new Set([element.current?.firstElementChild, element.current?.lastElementChild]);
    const watcher = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) unseen.delete(entry.target);
      if (unseen.size === 0) setSeen(true);
    });
    for (const end of unseen) if (end) watcher.observe(end);
    return () => {
      watcher.disconnect();
    };
  }, [element]);
  return seen;
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
