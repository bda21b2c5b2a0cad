import { Icon } from "../icons";
import type { RunEnding } from "./fold";
import { REASONS, VERDICTS } from "./words";

/** How a run ended, and why, first in our words and then in those of the run. */
export function RunVerdict({ end }: { end: RunEnding }) {
  const { icon, words } = VERDICTS[end.verdict];
  const reason = end.reason ? REASONS[end.reason] : "";
  return (
    <section className={`verdict verdict-${end.verdict}`} aria-label="Verdict">
      <p className="verdict-words">
        <Icon name={icon} /> {words}
      </p>
      {reason && <p>{reason}</p>}
      {end.explanation && end.explanation !== reason && <p className="verdict-more">{end.explanation}</p>}
    </section>
  );
}
