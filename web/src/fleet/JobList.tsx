import { useState } from "react";
import { Link } from "wouter";

import type { JobView } from "../api/types";
import { Button } from "../components/Button";
import { routes } from "../routes";
import { fullTime } from "../time";
import { useNow } from "../useNow";
import { type JobFilter, fleetActions } from "./actions";
import { OldJobs } from "./OldJobs";
import { StateMark } from "./StateMark";
import { usePolled } from "./usePolled";
import { STATES, jobFacts, elapsedWords, whyWords } from "./words";

const ALL: JobFilter = { state: null, label: null, after: null };

/** Newest first, in pages. */
export function JobList({ projectId, labels }: { projectId: string; labels: readonly string[] }) {
  const [filter, setFilter] = useState(ALL);
  /** Where the previous pages start. */
  const [before, setBefore] = useState<readonly (string | null)[]>([]);
  const { data, problem, reload } = usePolled(JSON.stringify(filter), () => fleetActions.jobs(filter));
  const choose = (chosen: Partial<JobFilter>) => {
    setFilter({ ...filter, ...chosen, after: null });
    setBefore([]);
  };
  const last = data?.jobs.at(-1);
  return (
    <section className="run-section">
      <h2>Jobs</h2>
      <div className="view-bar">
        <label className="fleet-filter">
          State
          <select
            className="field"
            value={filter.state ?? ""}
            onChange={(event) => {
              choose({ state: STATES.find((each) => each === event.target.value) ?? null });
            }}
          >
            <option value="">all</option>
            {STATES.map((state) => (
              <option key={state}>{state}</option>
            ))}
          </select>
        </label>
        <label className="fleet-filter">
          Label
          <select
            className="field"
            value={filter.label === null ? "all" : `=${filter.label}`}
            onChange={(event) => {
              choose({ label: event.target.value === "all" ? null : event.target.value.slice(1) });
            }}
          >
            <option value="all">all</option>
            {labels.map((label) => (
              <option key={label} value={`=${label}`}>
                {label || "none"}
              </option>
            ))}
          </select>
        </label>
      </div>
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
      {data?.jobs.length === 0 && <p className="view-empty">No matching jobs.</p>}
      {last && (
        <ul className="runs" aria-label="Jobs">
          {data?.jobs.map((job) => <JobLine key={job.id} projectId={projectId} job={job} />)}
        </ul>
      )}
      {(before.length > 0 || data?.more) && (
        <div className="run-acts">
          <Button
            icon="arrowLeft"
            disabled={before.length === 0}
            onClick={() => {
              setFilter({ ...filter, after: before.at(-1) ?? null });
              setBefore(before.slice(0, -1));
            }}
          >
            Newer
          </Button>
          <Button
            icon="arrowRight"
            disabled={!data?.more}
            onClick={() => {
              setBefore([...before, filter.after]);
              setFilter({ ...filter, after: last?.id ?? null });
            }}
          >
            Older
          </Button>
        </div>
      )}
      <OldJobs onDeleted={reload} />
    </section>
  );
}

function JobLine({ projectId, job }: { projectId: string; job: JobView }) {
  const now = useNow(1_000) / 1000;
  const why = whyWords(job)[0];
  return (
    <li className="run-line">
      <StateMark state={job.state} />
      <div className="run-line-what">
        <Link href={routes.job(projectId, job.id)}>{job.goal}</Link>
        <p className="view-quiet fleet-facts">{jobFacts(job)}</p>
        {why && job.state !== "verified" && <p className="view-quiet">{why}</p>}
      </div>
      <span className="run-line-time" title={`Submitted ${fullTime(job.created_at)}`}>
        {elapsedWords(job, now)}
      </span>
    </li>
  );
}
