import "../styles/changes.css";

import type { SchemaAttemptRecord as AttemptRecord } from "../api/schema";
import { UnifiedDiff } from "../changes/UnifiedDiff";
import { Fold } from "../conversation/Fold";
import { plural } from "../conversation/amounts";
import { CheckList } from "./CheckList";
import type { RunProgress } from "./fold";
import { PlanView } from "./PlanView";
import { attemptWords } from "./words";

interface Props {
  attempts: readonly AttemptRecord[];
  progress: RunProgress;
}

/** Each attempt's plan, changes, commands and outcome. */
export function AttemptList({ attempts, progress }: Props) {
  return (
    <ol className="attempts">
      {attempts.map((attempt) => (
        <li key={attempt.number} aria-label={`Attempt ${String(attempt.number)}`}>
          <Attempt attempt={attempt} progress={progress} />
        </li>
      ))}
    </ol>
  );
}

function Attempt({ attempt, progress }: { attempt: AttemptRecord; progress: RunProgress }) {
  const { number, plan, diff, files, summary } = attempt;
  const checks = progress.checks.filter((check) => check.attempt === number);
  return (
    <>
      <h4>
        Attempt {number}: {attemptWords(attempt, progress)}
      </h4>
      {summary && <p>{summary}</p>}
      <PlanView plan={plan} />
      {checks.length > 0 && <CheckList checks={checks} />}
      {diff && (
        <Fold className="attempt-diff" summary={`What it changed in ${plural(files.length, "file")}`}>
          {() => <UnifiedDiff diff={diff} />}
        </Fold>
      )}
    </>
  );
}
