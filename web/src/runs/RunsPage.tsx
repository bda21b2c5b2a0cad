import "../styles/views.css";
import "../styles/runs.css";

import { Link } from "wouter";

import type { RunView } from "../api/types";
import { plural } from "../conversation/amounts";
import { Icon } from "../icons";
import { routes } from "../routes";
import { useRunProblem, useRuns } from "../state/runs";
import { useProject } from "../state/server";
import { ago, fullTime } from "../time";
import { capitalized } from "../state/words";
import { useNow } from "../useNow";
import { NewRunForm } from "./NewRunForm";
import { VERDICT_ICONS, nodeWords, reasonWords } from "./words";

/** Fix runs of a project, and the form that starts one. */
export function RunsPage({ projectId }: { projectId: string }) {
  const { project } = useProject(projectId);
  const runs = useRuns(projectId);
  const problem = useRunProblem(projectId);
  return (
    <div className="view">
      {project?.git === false ? (
        <p className="view-empty">
          A run works in a git work tree, and this project is not a git repository. <code>git init</code> in its folder
          makes it one.
        </p>
      ) : (
        <NewRunForm projectId={projectId} />
      )}
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
      {!runs && !problem && <p className="view-empty">Loading…</p>}
      {runs && runs.length > 0 && (
        <section className="run-section">
          <h2>Previous runs</h2>
          <ul className="runs">
            {runs.map((run) => (
              <RunLine key={run.id} run={run} />
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function RunLine({ run }: { run: RunView }) {
  const now = useNow(30_000) / 1000;
  const { state } = run;
  return (
    <li className="run-line">
      <RunMark run={run} />
      <div className="run-line-what">
        <Link href={routes.run(run.project_id, run.id)}>{state.goal}</Link>
        <p className="view-quiet">
          {whatHappened(run)}
          {!run.running && run.attempts > 0 && ` ${plural(run.attempts, "attempt")}.`}
        </p>
      </div>
      <span className="run-line-time" title={fullTime(state.started_at)}>
        {ago(state.started_at, now)}
      </span>
    </li>
  );
}

function RunMark({ run: { running, state } }: { run: RunView }) {
  if (running) {
    return (
      <span className="run-mark run-mark-running">
        <Icon name="run" /> Running
      </span>
    );
  }
  if (!state.verdict || state.ended_at == null) {
    return (
      <span className="run-mark">
        <Icon name="pause" /> Interrupted
      </span>
    );
  }
  return (
    <span className={`run-mark run-mark-${state.verdict}`}>
      <Icon name={VERDICT_ICONS[state.verdict]} /> {capitalized(state.verdict)}
    </span>
  );
}

function whatHappened({ running, state }: RunView): string {
  if (!running && state.ended_at != null && state.reason) return reasonWords(state.reason);
  const where = `${nodeWords(state.node).name}${state.attempt > 0 ? `, attempt ${String(state.attempt)} of 3` : ""}`;
  return running ? where : `Resumes with: ${where}`;
}
