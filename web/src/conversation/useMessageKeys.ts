import { type RefObject, useEffect } from "react";

import { takesLetters } from "../shortcuts";
import { neighbour } from "./scrolling";

/** Pixels: less than the height of any message. */
const GRID = 12;

/** j and k go from message to message, o opens or closes all folds of the focused one. */
export function useMessageKeys(scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const element = scroller.current;
      if (!element || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (takesLetters(document.activeElement) || document.querySelector("dialog[open]")) return;
      if (event.key === "j" || event.key === "k") focusMessage(element, event.key === "j" ? 1 : -1);
      else if (event.key === "o") foldAll(document.activeElement?.closest("[data-message]") ?? null);
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
    };
  }, [scroller]);
}

function focusMessage(scroller: HTMLElement, step: 1 | -1): void {
  const messages = [...scroller.querySelectorAll<HTMLElement>("[data-message]")];
  const current = messages.findIndex((message) => message.contains(document.activeElement));
  const first = inSight(scroller);
  const next = messages[neighbour(messages.length, current, step, first ? messages.indexOf(first) : -1)];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "start" });
}

/** The topmost visible message. Not found by measuring, which makes the browser lay out everything that it skips. */
function inSight(scroller: HTMLElement): HTMLElement | undefined {
  const { left, width, top, bottom } = scroller.getBoundingClientRect();
  for (let y = top + 1; y < bottom; y += GRID) {
    const found = document.elementFromPoint(left + width / 2, y)?.closest<HTMLElement>("[data-message]");
    if (found) return found;
  }
  return undefined;
}

function foldAll(message: Element | null): void {
  if (!message) return;
  const folds = [...message.querySelectorAll("details")].filter((fold) => !fold.parentElement?.closest("details"));
  const open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
}
