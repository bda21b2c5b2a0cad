import "../styles/views.css";
import "../styles/runs.css";

import { type ReactNode, useMemo } from "react";
import { Link } from "wouter";

import { ChangesPanel } from "../changes/ChangesPanel";
import { plural } from "../conversation/amounts";
import { AskCard } from "../conversation/AskCard";
import { Fold } from "../conversation/Fold";
import { Markdown } from "../conversation/Markdown";
import { routes } from "../routes";
import { type WatchedRun, useRun, useRunProblem } from "../state/runs";
import { AttemptList } from "./AttemptList";
import { Budget } from "./Budget";
import { CheckList, RunLogs } from "./CheckList";
import { CoderTurns } from "./CoderTurns";
import { Evidence } from "./Evidence";
import { foldRun } from "./fold";
import { PlanView } from "./PlanView";
import { RunGraph } from "./RunGraph";
import { RunHead } from "./RunHead";
import { RunVerdict } from "./RunVerdict";

interface Props {
  projectId: string;
  runId: string;
}

/** One fix run, live. */
export function RunPage({ projectId, runId }: Props) {
  const watched = useRun(projectId, runId);
  const problem = useRunProblem(runId);
  if (!watched) {
    return (
      <div className="view">
        <p className={problem ? "view-problem" : "view-empty"} role={problem ? "alert" : undefined}>
          {problem ?? "Loading…"}
        </p>
      </div>
    );
  }
  return <Run projectId={projectId} watched={watched} />;
}

function Run({ projectId, watched: { detail, envelopes, asks } }: { projectId: string; watched: WatchedRun }) {
  const progress = useMemo(() => foldRun(detail, envelopes), [detail, envelopes]);
  const { run, report, pending } = detail;
  const { state } = run;
  const recorded = new Set(state.attempts_made.map(({ number }) => number));
  const unrecorded = progress.checks.filter(({ attempt }) => !recorded.has(attempt));
  return (
    <RunLogs value={run}>
      <div className="view run">
        <nav aria-label="Up">
          <Link href={routes.runs(projectId)}>All runs</Link>
        </nav>
        <RunHead run={run} progress={progress} />
        {progress.broke && (
          <p className="view-problem" role="alert">
            {progress.broke}
          </p>
        )}
        {progress.end && <RunVerdict end={progress.end} detail={detail} />}
        {asks.map((ask) => (
          <AskCard key={ask.id} ask={ask} />
        ))}
        <RunGraph progress={progress} running={run.running} />
        {progress.end && pending > 0 && state.chat_id && (
          <Section title={plural(pending, "pending change")}>
            <ChangesPanel projectId={projectId} chatId={state.chat_id} />
          </Section>
        )}
        {state.attempts_made.length > 0 ? (
          <Section title="Attempts">
            <AttemptList attempts={state.attempts_made} progress={progress} />
          </Section>
        ) : (
          progress.plan && (
            <Section title="Plan">
              <PlanView plan={progress.plan} />
            </Section>
          )
        )}
        <Section title="Evidence">
          <Evidence state={state} />
        </Section>
        <Section title={state.attempts_made.length > 0 ? "Before any change" : "Commands"}>
          <CheckList checks={unrecorded} />
        </Section>
        {(detail.chats.length > 0 || state.chat_id) && (
          <Section title="What the coder did">
            <CoderTurns projectId={projectId} chatIds={detail.chats} envelopes={envelopes} />
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
        <Section title="Budget">
          <Budget state={state} limits={detail.limits} />
        </Section>
        {report && (
          <Fold className="run-report" summary="Report">
            {() => <Markdown text={report} />}
          </Fold>
        )}
      </div>
    </RunLogs>
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
