import { useCallback, useEffect, useEffectEvent, useState } from "react";

import { wordsFor } from "../api/client";
import { onReload } from "./socket";

export interface Loaded<Data> {
  /** The last answer for this key, also while it is requested again; undefined before the first. */
  data: Data | undefined;
  /** Why the last request failed. */
  problem: string | null;
  reload: () => void;
}

interface Answer<Data> {
  key: string;
  data: Data | undefined;
  problem: string | null;
}

/**
 * Data for one view only: loaded when `key` changes, and again when frames were lost or `version` changes. The answer
 * for another version is shown until the new one arrives; that for another key is not.
 */
export function useLoaded<Data>(key: string, load: () => Promise<Data>, version: unknown = null): Loaded<Data> {
  const [answer, setAnswer] = useState<Answer<Data> | null>(null);
  const [asked, setAsked] = useState(0);
  const loadNow = useEffectEvent(load);
  const reload = useCallback(() => {
    setAsked((times) => times + 1);
  }, []);

  useEffect(() => {
    let wanted = true;
    loadNow().then(
      (data) => {
        if (wanted) setAnswer({ key, data, problem: null });
      },
      (thrown: unknown) => {
        if (!wanted) return;
        const problem = wordsFor(thrown);
        setAnswer((before) => ({ key, data: before?.key === key ? before.data : undefined, problem }));
      },
    );
    return () => {
      wanted = false;
    };
  }, [key, version, asked]);
  useEffect(() => onReload(reload), [reload]);

  const current = answer?.key === key ? answer : null;
  return { data: current?.data, problem: current?.problem ?? null, reload };
}
