import { Icon } from "../icons";
import type { RunEnding } from "./fold";
import { VERDICTS, endWords } from "./words";

/** How a run ended, and why, first in our words and then in those of the run. */
export function RunVerdict({ end }: { end: RunEnding }) {
  const { icon, words } = VERDICTS[end.verdict];
  return (
    <section className={`verdict verdict-${end.verdict}`} aria-label="Verdict">
      <p className="verdict-words">
        <Icon name={icon} /> {words}
      </p>
      {endWords(end).map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </section>
  );
}
