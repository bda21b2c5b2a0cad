import { type RefObject, useEffect, useRef } from "react";

/** For a heading: it takes the focus when another place is shown, so that keyboard and screen reader arrive too. */
export function useArrival(place: string): RefObject<HTMLHeadingElement | null> {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: "nearest" });
  }, [place]);
  return heading;
}
