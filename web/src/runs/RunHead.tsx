import type { RunView } from "../api/types";
import { Button } from "../components/Button";
import { duration, plural } from "../conversation/amounts";
import { useAttempt } from "../conversation/useAttempt";
import { runActions } from "../state/runs";
import { fullTime } from "../time";
import { useNow } from "../useNow";
import type { RunProgress } from "./fold";

interface Props {
  run: RunView;
  progress: RunProgress;
}

export function RunHead({ run, progress }: Props) {
  const { goal, profile, model, agency, started_at: startedAt } = run.state;
  const facts = [profile, model, agency === "guided" ? "guided by Mulligan" : "", `started ${fullTime(startedAt)}`, run.attempts > 0 ? plural(run.attempts, "attempt") : ""];
  return (
    <header className="run-head">
      <h2 className="run-goal">{goal}</h2>
      <p className="view-quiet">
        {facts.filter(Boolean).join(" · ")} · <Elapsed run={run} />
      </p>
      <Acts run={run} progress={progress} />
    </header>
  );
}

function Elapsed({ run: { running, state } }: { run: RunView }) {
  const now = useNow(1_000) / 1000;
  if (running) return <>running for {duration((now - state.started_at) * 1000)}</>;
  return state.ended_at == null ? <>interrupted</> : <>took {duration((state.ended_at - state.started_at) * 1000)}</>;
}

function Acts({ run, progress }: Props) {
  const { problem, underWay, attempt } = useAttempt();
  if (progress.end) return null;
  const elsewhere = run.running && !run.here;
  return (
    <div className="run-acts">
      {run.running && run.here && (
        <Button
          icon="stop"
          disabled={underWay}
          onClick={() => {
            attempt(() => runActions.abort(run.project_id, run.id));
          }}
        >
          Stop
        </Button>
      )}
      {!run.running && (
        <Button
          look="primary"
          icon="play"
          disabled={underWay}
          onClick={() => {
            attempt(() => runActions.resume(run.project_id, run.id));
          }}
        >
          Resume
        </Button>
      )}
      {run.running && run.here && <span className="view-quiet">It can be resumed.</span>}
      {elsewhere && <span className="view-quiet">Another process is running it. This is its last stored state.</span>}
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
