import "../styles/conversation.css";

import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from "react";

import { Button } from "../components/Button";
import { takesLetters } from "../shortcuts";
import { Icon } from "../icons";
import { type Answer, chatActions } from "../state/chat";
import type { Ask } from "./messages";
import { useAttempt } from "./useAttempt";
import { askTitle, opensWords } from "./words";

/**
 * An approval that work waits for. With the focus on it, y and n answer, a approves permanently if possible, and r goes
 * to the reason for a refusal. An approval counts only after the whole card was on the screen.
 */
export function AskCard({ ask }: { ask: Ask }) {
  const { problem, underWay, attempt } = useAttempt();
  const card = useRef<HTMLElement>(null);
  const what = useRef<HTMLPreElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const [reason, setReason] = useState("");
  const titleId = useId();
  const seen = useSeenWhole(what);
  useBorrowedFocus(card);
  const remember = ask.can_remember ? "network" : ask.rule ? "command" : null;
  const answer = (given: Answer) => {
    if (!underWay && (seen || !given.granted)) attempt(() => chatActions.answer(ask.id, given));
  };
  const deny = () => {
    answer({ granted: false, reason: reason.trim() });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (takesLetters(document.activeElement) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "y") answer({ granted: true });
    else if (event.key === "a" && remember) answer({ granted: true, remember });
    else if (event.key === "n") deny();
    else if (event.key === "r") field.current?.focus();
    else return;
    // Elsewhere on the page, n starts a new chat.
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section
      ref={card}
      className={ask.removes ? "ask ask-danger" : "ask"}
      tabIndex={-1}
      aria-labelledby={titleId}
      onKeyDown={onKeyDown}
    >
      <p className="card-label">Needs your approval</p>
      <h3 id={titleId} className="ask-title">
        {ask.removes && <Icon name="warning" />}
        {askTitle(ask)}
      </h3>
      {/* Characters stay in the order in which they are run. */}
      <pre ref={what} className="ask-what" dir="ltr" aria-label="The request">
        <span />
        {ask.what}
        <span />
      </pre>
      {/* Plain text: it may repeat what a model wrote. */}
      <p className="ask-reason">{ask.reason}</p>
      {ask.opens.length > 0 && <p className="ask-reason">A yes gives it {opensWords(ask.opens)}.</p>}
      <div className="card-buttons">
        <Button
          look={ask.removes ? "danger" : "primary"}
          disabled={underWay || !seen}
          aria-keyshortcuts="y"
          onClick={() => {
            answer({ granted: true });
          }}
        >
          {ask.removes ? "Run it anyway" : "Allow"} <kbd>y</kbd>
        </Button>
        <Button disabled={underWay} aria-keyshortcuts="n" onClick={deny}>
          Deny <kbd>n</kbd>
        </Button>
        <input
          ref={field}
          className="ask-why"
          type="text"
          value={reason}
          maxLength={2000}
          placeholder="Why not? The model will see this."
          aria-label="Reason for the refusal, shown to the model"
          aria-keyshortcuts="r"
          onChange={(event) => {
            setReason(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Enter" && !event.nativeEvent.isComposing) deny();
            else if (event.key === "Escape") card.current?.focus();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </div>
      {ask.rule !== "" && (
        <AlwaysAllow
          disabled={underWay || !seen}
          words="Always allow this"
          byKey={remember === "command"}
          scope={
            <>
              From now on, commands in this project that begin with <code>{ask.rule}</code> run without asking.
            </>
          }
          onClick={() => {
            answer({ granted: true, remember: "command" });
          }}
        />
      )}
      {ask.can_remember && (
        <AlwaysAllow
          disabled={underWay || !seen}
          words="Always allow the network"
          byKey
          scope="From now on, all commands of this project may use the network."
          onClick={() => {
            answer({ granted: true, remember: "network" });
          }}
        />
      )}
      {!seen && <p className="ask-unseen">Scroll through all of it first, from the first line to the last.</p>}
      {problem && <p role="alert">{problem}</p>}
    </section>
  );
}

interface AlwaysAllowProps {
  disabled: boolean;
  words: string;
  /** The key `a` does it. */
  byKey: boolean;
  scope: ReactNode;
  onClick: () => void;
}

/** A permanent approval, with everything that it covers. */
function AlwaysAllow({ disabled, words, byKey, scope, onClick }: AlwaysAllowProps) {
  const scopeId = useId();
  return (
    <div className="ask-always">
      <Button
        look="quiet"
        disabled={disabled}
        aria-describedby={scopeId}
        aria-keyshortcuts={byKey ? "a" : undefined}
        onClick={onClick}
      >
        {words} {byKey && <kbd>a</kbd>}
      </Button>
      <span id={scopeId}>
        {scope} <code>mulligan sandbox forget</code> revokes this.
      </span>
    </div>
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

/** Takes the focus unless the user is typing, and returns it afterwards, wherever they answered from. */
function useBorrowedFocus(card: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const before = document.activeElement;
    const own = card.current;
    if (!own) return;
    if (!takesLetters(before)) own.focus({ preventScroll: true });
    return () => {
      // When the card is removed, its focus falls to the body.
      const inCard = document.activeElement === own || document.activeElement === document.body;
      if (inCard && before instanceof HTMLElement) before.focus();
    };
  }, [card]);
}
