import { type RefObject, useEffect, useEffectEvent } from "react";

import { neighbour } from "../conversation/scrolling";
import { takesLetters } from "../shortcuts";

interface Keys {
  onReach: (file: string) => void;
  onToggle: (file: string) => void;
  onSettle: (act: "apply" | "reject", file: string) => void;
  onUndo: (file: string) => void;
}

/**
 * j and k go from file to file, n and p from hunk to hunk; a applies and x rejects the focused one, u undoes the last
 * action on the file, o folds it. In a panel next to another view, they only work if the panel
 * has the focus.
 */
export function useChangeKeys(root: RefObject<HTMLElement | null>, does: Keys): void {
  const hear = useEffectEvent((event: KeyboardEvent) => {
    if (!root.current || !isMeant(event)) return;
    const panel = root.current.closest("aside");
    if (panel && !panel.contains(document.activeElement)) return;
    if (answer(root.current, event.key, does)) event.preventDefault();
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      hear(event);
    };
    // Before the conversation next to it, which has j and k too.
    window.addEventListener("keydown", onKeyDown, { capture: true });
    return () => {
      window.removeEventListener("keydown", onKeyDown, { capture: true });
    };
  }, []);
}

function isMeant(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  return !takesLetters(document.activeElement) && !document.querySelector("dialog[open]");
}

const STEPS: Readonly<Record<string, { of: string; step: 1 | -1 }>> = {
  j: { of: "[data-file]", step: 1 },
  k: { of: "[data-file]", step: -1 },
  n: { of: "[data-hunk]", step: 1 },
  p: { of: "[data-hunk]", step: -1 },
};

/** Whether the key was handled. */
function answer(root: HTMLElement, key: string, { onReach, onToggle, onSettle, onUndo }: Keys): boolean {
  const wanted = STEPS[key];
  if (wanted) {
    reach(root, wanted.of, wanted.step, onReach);
    return true;
  }
  const card = document.activeElement?.closest<HTMLElement>("[data-file]");
  const file = card?.dataset["file"];
  if (!file) return false;
  if (key === "o") onToggle(file);
  else if (key === "u") onUndo(file);
  else if (key === "a" || key === "x") settle(key === "a" ? "apply" : "reject", card, file, onSettle);
  else return false;
  return true;
}

/** The focused hunk, or else the whole file. A hunk's own buttons handle the rest. */
function settle(act: "apply" | "reject", card: HTMLElement, file: string, onSettle: Keys["onSettle"]): void {
  const hunk = document.activeElement?.closest<HTMLElement>("[data-hunk]");
  if (hunk) hunk.querySelectorAll("button")[act === "apply" ? 0 : 1]?.click();
  else if (card.dataset["status"] === "pending") onSettle(act, file);
}

function reach(root: HTMLElement, of: string, step: 1 | -1, onReach: Keys["onReach"]): void {
  const elements = [...root.querySelectorAll<HTMLElement>(of)];
  const within = document.activeElement?.closest<HTMLElement>(of);
  let current = within ? elements.indexOf(within) : -1;
  if (current < 0 && document.activeElement && root.contains(document.activeElement)) {
    // Between two of them: the next one is the first that follows.
    const here = document.activeElement;
    current = elements.findLastIndex(
      (element) => (element.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0,
    );
    if (step < 0 && current >= 0) current += 1;
  }
  const next = elements[neighbour(elements.length, current, step, 0)];
  const file = next?.dataset["file"];
  if (file) onReach(file);
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: next.dataset["hunk"] ? "center" : "nearest" });
}
