import { memo, useEffect, useState } from "react";

import { Fold } from "./Fold";
import { duration, plural } from "./amounts";

interface Props {
  text: string;
  /** The model is thinking right now. */
  growing: boolean;
}

/** The model's reasoning. Its duration is only known if the page was open. */
export const ReasoningFold = memo(function ReasoningFold({ text, growing }: Props) {
  const took = useDurationOf(growing);
  return (
    <Fold className="reasoning" summary={summaryOf(text, growing, took)}>
      {() => <p className="reasoning-text">{text.trim()}</p>}
    </Fold>
  );
});

function summaryOf(text: string, growing: boolean, took: number | null): string {
  if (growing) return "Thinking…";
  if (took !== null) return `Thought for ${duration(took)}`;
  return `Thought, ${plural(text.trim().split(/\s+/).length, "word")}`;
}

/** Milliseconds for which `going` was true; null if its end was not observed. */
function useDurationOf(going: boolean): number | null {
  const [took, setTook] = useState<number | null>(null);
  useEffect(() => {
    if (!going) return;
    const began = performance.now();
    return () => {
      setTook(performance.now() - began);
    };
  }, [going]);
  return took;
}
