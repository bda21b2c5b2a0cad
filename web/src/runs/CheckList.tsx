import { createContext, useContext } from "react";

import type { RunView } from "../api/types";
import { duration, plural } from "../conversation/amounts";
import { Fold } from "../conversation/Fold";
import { Icon } from "../icons";
import { RunLog } from "./RunLog";
import { type CheckLine, candidatesOf } from "./fold";
import { exitWords, outcomeWords, purposeWords } from "./words";

/** The run whose logs can be shown; null if there is none. */
export const RunLogs = createContext<Pick<RunView, "id" | "project_id"> | null>(null);

/** Commands in the order they ran. Tested candidates can be many, so they are folded. */
export function CheckList({ checks }: { checks: readonly CheckLine[] }) {
  const others = checks.filter(({ purpose, ended }) => purpose !== "candidate" || !ended);
  const candidates = checks.filter(({ purpose, ended }) => purpose === "candidate" && ended);
  const { tested, passed } = candidatesOf(checks);
  if (checks.length === 0) return <p className="view-quiet">No commands run yet.</p>;
  return (
    <>
      <Lines checks={others} />
      {tested > 0 && (
        <Fold className="checks-candidates" summary={`${plural(tested, "candidate")} tested, ${String(passed)} passed`}>
          {() => <Lines checks={candidates} />}
        </Fold>
      )}
    </>
  );
}

function Lines({ checks }: { checks: readonly CheckLine[] }) {
  return (
    <ul className="checks">
      {checks.map((check, index) => (
        <li key={index}>
          <Check check={check} />
        </li>
      ))}
    </ul>
  );
}

function Check({ check }: { check: CheckLine }) {
  const logs = useContext(RunLogs);
  const { attempt, purpose, command, note, ended } = check;
  const head = (
    <>
      <span className={`check-mark check-mark-${ended ? (ended.passed ? "passed" : "failed") : "running"}`}>
        <Icon name={ended ? (ended.passed ? "check" : "close") : "clock"} />
        {ended ? outcomeWords(ended) : "running"}
      </span>
      <code className="check-command">{command}</code>
      <span className="check-facts">
        {purposeWords(purpose)}
        {attempt > 0 && `, attempt ${String(attempt)}`}
        {ended && `, ${duration(ended.seconds * 1000)}`}
      </span>
    </>
  );
  const more = [note, ended && !ended.passed ? exitWords(ended) : "", ended?.summary].filter(Boolean);
  const log = logs && check.number !== null && { run: logs, number: check.number };
  if (more.length === 0 && !log) return <p className="check">{head}</p>;
  return (
    <Fold className="check-fold" summary={<span className="check">{head}</span>}>
      {() => (
        <>
          {more.map((words, index) => (
            <p key={index}>{words}</p>
          ))}
          {log && (
            <Fold className="check-log" summary={`Log of command ${String(log.number)}`}>
              {() => <RunLog {...log} />}
            </Fold>
          )}
        </>
      )}
    </Fold>
  );
}
