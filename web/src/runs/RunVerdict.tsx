import { Icon } from "../icons";
import { capitalized } from "../state/words";
import type { RunEnding } from "./fold";
import { VERDICT_ICONS, endWords } from "./words";

/** How a run ended, and why, first in our words and then in those of the run. */
export function RunVerdict({ end }: { end: RunEnding }) {
  return (
    <section className={`verdict verdict-${end.verdict}`} aria-label="Verdict">
      <p className="verdict-words">
        <Icon name={VERDICT_ICONS[end.verdict]} /> {capitalized(end.verdict)}
      </p>
      {endWords(end).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </section>
  );
}
