import "../styles/views.css";
import "../styles/runs.css";
import "../styles/fleet.css";

import { type ReactNode, useMemo, useState } from "react";
import { Link, useLocation } from "wouter";

import type { JobDetail, JobView } from "../api/types";
import { UnifiedDiff } from "../changes/UnifiedDiff";
import { Button } from "../components/Button";
import { Fold } from "../conversation/Fold";
import { Markdown } from "../conversation/Markdown";
import { useAttempt } from "../conversation/useAttempt";
import { Icon } from "../icons";
import { routes } from "../routes";
import { CheckList } from "../runs/CheckList";
import { CoderTurns } from "../runs/CoderTurns";
import { PlanView } from "../runs/PlanView";
import { RunGraph } from "../runs/RunGraph";
import { foldFrames } from "../runs/fold";
import { capitalized } from "../state/words";
import { fullTime } from "../time";
import { useNow } from "../useNow";
import { fleetActions, patchAddress } from "./actions";
import { Field } from "./Field";
import { LogReader } from "./log";
import { MoreForm } from "./MoreForm";
import { usePolled } from "./usePolled";
import { STATE_ICONS, jobFacts, elapsedWords, whyWords } from "./words";

interface Props {
  projectId: string;
  jobId: string;
}

/** One job: its request, its run and its result. */
export function JobPage({ projectId, jobId }: Props) {
  const { data, problem, reload } = usePolled(jobId, () => fleetActions.job(jobId), hasEnded);
  return (
    <div className="view run">
      <nav aria-label="Up">
        <Link href={routes.fleet(projectId)}>Fleet</Link>
      </nav>
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
      {!data && !problem && <p className="view-empty">Loading…</p>}
      {data && (
        <>
          <Head projectId={projectId} detail={data} onActed={reload} />
          <Outcome job={data.job} />
          {data.diff && (
            <Section title="What it changed">
              <div className="attempt-diff">
                <UnifiedDiff diff={data.diff} />
              </div>
            </Section>
          )}
          <Progress projectId={projectId} job={data.job} />
          {data.report && (
            <Fold className="run-report" summary="Report">
              {() => <Markdown text={data.report} />}
            </Fold>
          )}
        </>
      )}
    </div>
  );
}

function hasEnded({ job }: JobDetail): boolean {
  return job.ended_at != null;
}

function Head({ projectId, detail, onActed }: { projectId: string; detail: JobDetail; onActed: () => void }) {
  const now = useNow(1_000) / 1000;
  const { job } = detail;
  const elapsed = elapsedWords(job, now);
  const facts = [
    `submitted ${fullTime(job.created_at)}`,
    elapsed && `${job.ended_at == null ? "running for" : "took"} ${elapsed}`,
    job.server,
    job.commit && `commit ${job.commit.slice(0, 12)}`,
    job.priority === 0 ? "" : `priority ${String(job.priority)}`,
  ];
  return (
    <header className="run-head">
      <h2 className="run-goal">{job.goal}</h2>
      <p className="view-quiet fleet-facts">{jobFacts(job)}</p>
      <p className="view-quiet">{facts.filter(Boolean).join(" · ")}</p>
      {job.verify.length > 0 && (
        <p className="view-quiet">
          Judged by{" "}
          {job.verify.map((command) => (
            <code key={command}>{command} </code>
          ))}
        </p>
      )}
      <Acts projectId={projectId} detail={detail} onActed={onActed} />
      {detail.diff && detail.projects.includes(projectId) && <BranchForm projectId={projectId} jobId={job.id} />}
    </header>
  );
}

function Acts({ projectId, detail, onActed }: { projectId: string; detail: JobDetail; onActed: () => void }) {
  const { problem, underWay, attempt } = useAttempt();
  const [, navigate] = useLocation();
  const { job, diff, projects } = detail;
  const act = (done: () => Promise<unknown>) => () => {
    attempt(() => done().then(onActed));
  };
  return (
    <div className="run-acts">
      {diff && projects.includes(projectId) && (
        <Button
          look="primary"
          icon="diff"
          disabled={underWay}
          onClick={() => {
            attempt(async () => {
              await fleetActions.fetch(projectId, job.id);
              navigate(routes.changes(projectId));
            });
          }}
        >
          Fetch as pending changes
        </Button>
      )}
      {diff && (
        <a className="button button-plain" href={patchAddress(job.id)} download>
          <Icon name="download" /> <span>Download the patch</span>
        </a>
      )}
      {job.ended_at == null ? (
        <Button icon="stop" disabled={underWay} onClick={act(() => fleetActions.cancel(job.id))}>
          Cancel
        </Button>
      ) : (
        <Button icon="retry" disabled={underWay} onClick={act(() => fleetActions.retry(job.id))}>
          Retry
        </Button>
      )}
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

function BranchForm({ projectId, jobId }: Props) {
  const [name, setName] = useState(`fleet/${jobId}`);
  const fetch = async () => {
    const { branch, commit } = await fleetActions.fetchAsBranch(projectId, jobId, name.trim());
    return `Branch ${branch} is at ${commit.slice(0, 12)}. The checkout’s files are unchanged.`;
  };
  return (
    <MoreForm summary="Fetch as a branch" act={fetch}>
      {(underWay) => (
        <>
          <Field
            label="Branch"
            hint="A new one, with one commit on top of the commit that the job started from."
            required
            maxLength={200}
            value={name}
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
          <div className="new-run-buttons">
            <Button submit icon="run" disabled={underWay || !name.trim()}>
              Create the branch
            </Button>
          </div>
        </>
      )}
    </MoreForm>
  );
}

function Outcome({ job }: { job: JobView }) {
  return (
    <section className={`verdict verdict-${job.state}`} aria-label="State">
      <p className="verdict-words" role="status">
        <Icon name={STATE_ICONS[job.state]} /> {capitalized(job.state)}
      </p>
      {whyWords(job).map((words) => (
        <p key={words}>{words}</p>
      ))}
    </section>
  );
}

function Progress({ projectId, job }: { projectId: string; job: JobView }) {
  const { id, started_at: startedAt } = job;
  const reader = useMemo(() => new LogReader(id, startedAt), [id, startedAt]);
  const { data, problem } = usePolled(`${id} ${String(startedAt)}`, () => reader.read(), ({ ended }) => ended);
  const running = job.state === "running";
  const envelopes = data?.envelopes;
  const progress = useMemo(() => foldFrames(envelopes ?? [], running), [envelopes, running]);
  if (problem) {
    return (
      <p className="view-problem" role="alert">
        {problem}
      </p>
    );
  }
  if (!envelopes || envelopes.length === 0) {
    return job.state === "queued" ? <p className="view-empty">Waiting for its turn and for a worker.</p> : null;
  }
  return (
    <>
      <RunGraph progress={progress} running={running} />
      {progress.plan && (
        <Section title="Plan">
          <PlanView plan={progress.plan} />
        </Section>
      )}
      <Section title="Commands">
        <CheckList checks={progress.checks} />
      </Section>
      {envelopes.some(({ frame }) => frame.type === "turn_start") && (
        <Section title="What the coder did">
          <CoderTurns projectId={projectId} chatIds={[]} envelopes={envelopes} elsewhere />
        </Section>
      )}
      {progress.notes.length > 0 && (
        <Section title="Notes">
          <ul className="run-lines">
            {progress.notes.map((note, index) => (
              <li key={index}>{note}</li>
            ))}
          </ul>
        </Section>
      )}
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="run-section">
      <h3>{title}</h3>
      {children}
    </section>
  );
}
