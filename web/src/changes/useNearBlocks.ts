import { type RefObject, useEffect, useState } from "react";

import type { Block } from "./rows";

/** Rendered before anybody scrolled: about one screen. */
const AT_FIRST = 2;
/** Blocks are rendered at this distance from the screen. */
const MARGIN = "800px 0px";

/** The blocks of a table that are near the screen, by their first row. Blocks that leave are removed. */
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

/** The scrolling ancestor of an element: an observer's margin only applies to that. */
function scrollerOf(element: HTMLElement): HTMLElement | null {
  for (let ancestor = element.parentElement; ancestor; ancestor = ancestor.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(ancestor).overflowY)) return ancestor;
  }
  return null;
}
