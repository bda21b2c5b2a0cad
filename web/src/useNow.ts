import { useEffect, useState } from "react";

/** The current time in milliseconds, updated at the given interval. */
export function useNow(interval: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => {
      setNow(Date.now());
    }, interval);
    return () => {
      window.clearInterval(timer);
    };
  }, [interval]);
  return now;
}
