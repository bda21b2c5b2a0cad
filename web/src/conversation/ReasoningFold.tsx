import { memo, useEffect, useState } from "react";

import { Fold } from "./Fold";
import { duration, plural } from "./amounts";

interface Props {
  text: string;
  /** It is being thought right now. */
  growing: boolean;
}

/** What the model thought. How long it took is known only to a page that was there. */
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

/** Milliseconds for which `going` was true; null if that was never seen to its end. */
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
