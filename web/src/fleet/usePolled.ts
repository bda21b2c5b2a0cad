import { useEffect, useState } from "react";

import { type Loaded, useLoaded } from "../state/loaded";

/** Milliseconds between an answer and the next request: a fleet sends no frames. */
const PAUSE = 1_500;

/** Data that changes elsewhere: loaded repeatedly, until `over` says that it will not change any more. */
export function usePolled<Data>(
  key: string,
  load: () => Promise<Data>,
  over: (data: Data) => boolean = () => false,
): Loaded<Data> {
  const [answers, setAnswers] = useState(0);
  const loaded = useLoaded(key, () =>
    load().finally(() => {
      setAnswers((count) => count + 1);
    }),
  );
  const { data, reload } = loaded;
  const active = data === undefined || !over(data);
  useEffect(() => {
    if (answers === 0 || !active) return undefined;
    const timer = window.setTimeout(reload, PAUSE);
    return () => {
      window.clearTimeout(timer);
    };
  }, [answers, active, reload]);
  return loaded;
}
