import { type RefObject, useEffect, useEffectEvent } from "react";

import { neighbour } from "../conversation/scrolling";
import { takesLetters } from "../shortcuts";
import type { Act } from "../state/changes";

interface Keys {
  onReach: (changeId: string) => void;
  onToggle: (changeId: string) => void;
  onAct: (act: Act, changeId: string) => void;
}

const ACTS: Readonly<Record<string, { act: Act; status: string }>> = {
  a: { act: "apply", status: "pending" },
  x: { act: "reject", status: "pending" },
  u: { act: "rewind", status: "applied" },
};

/**
 * j and k go from change to change; a applies, x rejects, u rewinds and o folds the one that has the focus. In a panel
 * beside something else they are heard only with the focus in the panel.
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
    // Ahead of the conversation beside it, which has j and k too.
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

/** Whether the key meant something. */
function answer(root: HTMLElement, key: string, { onReach, onToggle, onAct }: Keys): boolean {
  if (key === "j" || key === "k") {
    reach(root, key === "j" ? 1 : -1, onReach);
    return true;
  }
  const card = document.activeElement?.closest<HTMLElement>("[data-change]");
  const id = card?.dataset["change"];
  if (!id) return false;
  if (key === "o") {
    onToggle(id);
    return true;
  }
  const wanted = ACTS[key];
  if (!wanted || card.dataset["status"] !== wanted.status) return false;
  onAct(wanted.act, id);
  return true;
}

function reach(root: HTMLElement, step: 1 | -1, onReach: Keys["onReach"]): void {
  const cards = [...root.querySelectorAll<HTMLElement>("[data-change]")];
  const current = cards.findIndex((card) => card.contains(document.activeElement));
  const next = cards[neighbour(cards.length, current, step, 0)];
  const id = next?.dataset["change"];
  if (!id) return;
  onReach(id);
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: "nearest" });
}
