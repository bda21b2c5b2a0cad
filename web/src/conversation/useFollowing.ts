import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

import type { Message } from "./messages";
import { followsAfter, type Mark, markEnd, newSince, userWroteSince } from "./scrolling";

interface Following {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  onScroll: () => void;
  /** False once the user has scrolled up. */
  following: boolean;
  /** New parts since then. */
  fresh: number;
  jump: () => void;
}

/** Keeps the newest text visible until the user scrolls up, and again once they send a message. */
export function useFollowing(messages: readonly Message[]): Following {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [left, setLeft] = useState<Mark | null>(null);
  const following = left === null || userWroteSince(left, messages);
  const state = useRef({ following: true, top: 0 });

  const toEnd = useCallback(() => {
    const element = scroller.current;
    if (!element || !state.current.following) return;
    element.scrollTop = element.scrollHeight;
    state.current.top = element.scrollTop;
  }, []);

  useLayoutEffect(() => {
    state.current.following = following;
    toEnd();
  }, [following, toEnd]);

  useEffect(() => {
    const observer = new ResizeObserver(toEnd);
    for (const element of [scroller.current, content.current]) if (element) observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [toEnd]);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return;
    const next = followsAfter(state.current.following, state.current.top, element);
    state.current.top = element.scrollTop;
    if (next === state.current.following) return;
    state.current.following = next;
    setLeft(next ? null : markEnd(messages));
  };

  const jump = () => {
    state.current.following = true;
    toEnd();
    setLeft(null);
  };

  return { scroller, content, onScroll, following, fresh: left ? newSince(left, messages) : 0, jump };
}
