import { type RefObject, useEffect, useState } from "react";

import type { Block } from "./rows";

/** Drawn before anybody scrolled: about a screen. */
const AT_FIRST = 2;
/** Blocks are drawn when they are this near to what is seen. */
const MARGIN = "800px 0px";

/** Which blocks of a table are near the screen, by their first row. Blocks that leave it are let go. */
export function useNearBlocks(table: RefObject<HTMLElement | null>, blocks: readonly Block[]): ReadonlySet<number> {
  const lines = blocks.filter(({ always }) => !always).map(({ first }) => first);
  const [near, setNear] = useState<ReadonlySet<number>>(() => new Set(lines.slice(0, AT_FIRST)));
  const shape = lines.join(" ");
  useEffect(() => {
    const element = table.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      (entries) => {
        setNear((before) => {
          const now = new Set(before);
          for (const { target, isIntersecting } of entries) {
            const first = Number((target as HTMLElement).dataset["block"]);
            if (isIntersecting) now.add(first);
            else now.delete(first);
          }
          return now;
        });
      },
      { root: scrollerOf(element), rootMargin: MARGIN },
    );
    element.querySelectorAll("[data-block]").forEach((block) => {
      observer.observe(block);
    });
    return () => {
      observer.disconnect();
    };
  }, [table, shape]);
  return near;
}

/** What scrolls around an element: a margin counts only around that. */
function scrollerOf(element: HTMLElement): HTMLElement | null {
  for (let place = element.parentElement; place; place = place.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(place).overflowY)) return place;
  }
  return null;
}
