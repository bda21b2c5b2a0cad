import { useCallback, useState } from "react";

import { wordsFor } from "../api/client";

interface Attempt {
  /** Why the last attempt failed, for the user. */
  problem: string | null;
  underWay: boolean;
  attempt: (act: () => Promise<unknown>) => void;
}

/** An action that the server may refuse: one at a time, and a refusal is shown. */
export function useAttempt(): Attempt {
  const [problem, setProblem] = useState<string | null>(null);
  const [underWay, setUnderWay] = useState(false);
  const attempt = useCallback((act: () => Promise<unknown>) => {
    setProblem(null);
    setUnderWay(true);
    act()
      .catch((thrown: unknown) => {
        setProblem(wordsFor(thrown));
      })
      .finally(() => {
        setUnderWay(false);
      });
  }, []);
  return { problem, underWay, attempt };
}
