import { CallLine } from "./CallLine";
import { Fold } from "./Fold";
import { OutcomeMark } from "./OutcomeMark";
import type { Call } from "./steps";
import { lookingWords } from "./tools";
import { outcomeOf, type Outcome } from "./words";

interface Props {
  calls: readonly Call[];
  live: boolean;
}

/** Calls in a row that only looked at the project, as one line. */
export function LookingGroup({ calls, live }: Props) {
  const outcomes = calls.map((call) => outcomeOf(call, live));
  const failed = outcomes.filter(({ mark }) => mark === "failed" || mark === "denied").length;
  const mark = together(outcomes);
  const words = failed > 0 ? `${String(failed)} failed` : WORDS[mark];
  const repaired = calls.filter(({ call }) => call.repairs.length > 0).length;
  const summary = (
    <span className="call-line">
      <OutcomeMark mark={mark} />
      <span className="call-group">{lookingWords(calls.map(({ call }) => call))}</span>
      <span className="call-about" />
      {repaired > 0 && <span className="call-repaired">{repaired} repaired</span>}
      <span className={`call-outcome call-outcome-${mark}`}>{words}</span>
    </span>
  );
  return (
    <Fold className="call" summary={summary}>
      {() => (
        <div className="call-members">
          {calls.map(({ key, call, result }) => (
            <CallLine key={key} call={call} result={result} live={live} />
          ))}
        </div>
      )}
    </Fold>
  );
}

const WORDS: Readonly<Record<Outcome["mark"], string>> = {
  running: "running",
  failed: "failed",
  denied: "not allowed",
  lost: "no result",
  done: "done",
};

/** The outcome that a person would want to know of first. */
function together(outcomes: readonly Outcome[]): Outcome["mark"] {
  const order = ["running", "failed", "denied", "lost"] as const;
  return order.find((mark) => outcomes.some((outcome) => outcome.mark === mark)) ?? "done";
}
