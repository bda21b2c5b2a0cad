import { type RefObject, useEffect, useRef } from "react";

/** For a heading: it takes the focus when another position is shown, so that keyboard and screen reader follow. */
export function useArrival(position: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "nearest" });
  }, [position]);
  return heading;
}
