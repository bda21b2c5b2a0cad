import "../styles/views.css";
import "../styles/runs.css";
import "../styles/fleet.css";

import { type ReactNode, useState } from "react";

import type { FleetView } from "../api/types";
import { IconButton } from "../components/Button";
import { duration, grouped, plural } from "../conversation/amounts";
import { Fold } from "../conversation/Fold";
import { useAttempt } from "../conversation/useAttempt";
import { ago, fullTime } from "../time";
import { useNow } from "../useNow";
import { fleetActions } from "./actions";
import { JobList } from "./JobList";
import { NewJobForm } from "./NewJobForm";
import { NewServerForm } from "./NewServerForm";
import { usePolled } from "./usePolled";
import { STATES, countOf, labelsOf, paceWords, slotWords } from "./words";

/** A fleet's jobs, workers and model servers. */
export function FleetPage({ projectId }: { projectId: string }) {
  const { data: fleet, problem, reload } = usePolled("fleet", fleetActions.look);
  const [submitting, setSubmitting] = useState(false);
  if (!fleet) {
    return (
      <div className="view">
        <p className={problem ? "view-problem" : "view-empty"} role={problem ? "alert" : undefined}>
          {problem ?? "Loading…"}
        </p>
      </div>
    );
  }
  return (
    <div className="view">
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
      <Counts fleet={fleet} />
      <details
        className="new-run-more"
        open={submitting}
        onToggle={(event) => {
          setSubmitting(event.currentTarget.open);
        }}
      >
        <summary>Submit a job</summary>
        {submitting && <NewJobForm projectId={projectId} />}
      </details>
      <JobList projectId={projectId} labels={labelsOf(fleet)} />
      <Section title="Workers" none="No workers. Start one with mulligan fleet work." count={fleet.workers.length}>
        {fleet.workers.map((worker) => (
          <Worker key={worker.name} worker={worker} />
        ))}
      </Section>
      <Section
        title="Model servers"
        none="The list is empty: each worker uses the model of its own settings."
        count={fleet.servers.length}
      >
        {fleet.servers.map((server) => (
          <Server key={server.url} server={server} onRemoved={reload} />
        ))}
      </Section>
      <NewServerForm onAdded={reload} />
    </div>
  );
}

function Counts({ fleet }: { fleet: FleetView }) {
  const kinds = [...new Set(fleet.counts.map(({ label, model }) => JSON.stringify([label, model])))];
  return (
    <section className="run-section" aria-label="All jobs">
      <dl className="fleet-counts">
        {STATES.map((state) => (
          <div key={state} className={`fleet-count fleet-count-${state}`}>
            <dt>{state}</dt>
            <dd>{grouped(countOf(fleet, state))}</dd>
          </div>
        ))}
      </dl>
      <p className="view-quiet" role="status">
        {paceWords(fleet)}
      </p>
      {kinds.length > 1 && (
        <Fold className="fleet-kinds" summary="By label and model">
          {() => <Kinds fleet={fleet} kinds={kinds} />}
        </Fold>
      )}
    </section>
  );
}

function Kinds({ fleet, kinds }: { fleet: FleetView; kinds: readonly string[] }) {
  return (
    <div className="evidence" tabIndex={0} role="region" aria-label="By label and model">
      <table>
        <thead>
          <tr>
            {["label", "model", ...STATES].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kinds.map((kind) => {
            const [label, model] = JSON.parse(kind) as [string, string];
            const counts = fleet.counts.filter((each) => each.label === label && each.model === model);
            return (
              <tr key={kind}>
                <th scope="row">{label || "none"}</th>
                <td>{model || "any"}</td>
                {STATES.map((state) => (
                  <td key={state}>{grouped(countOf({ counts }, state))}</td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

interface SectionProps {
  title: string;
  count: number;
  none: string;
  children: ReactNode;
}

function Section({ title, count, none, children }: SectionProps) {
  return (
    <section className="run-section">
      <h2>{title}</h2>
      {count > 0 ? (
        <ul className="runs" aria-label={title}>
          {children}
        </ul>
      ) : (
        <p className="view-quiet">{none}</p>
      )}
    </section>
  );
}

function Worker({ worker }: { worker: FleetView["workers"][number] }) {
  const now = useNow(5_000) / 1000;
  const { name, host, pid, busy, slots, labels, sandbox, seen_at: seen, silent } = worker;
  const facts = [`process ${String(pid)} on ${host}`, labels.length > 0 ? `only ${labels.join(", ")}` : "", `sandbox: ${sandbox}`];
  return (
    <li className="run-line">
      <span className={`run-mark ${silent ? "run-mark-failed" : "run-mark-verified"}`}>{silent ? "Silent" : "Alive"}</span>
      <div className="run-line-what">
        {name} <span className="view-quiet">{slotWords(busy, slots)}</span>
        <p className="view-quiet">{facts.filter(Boolean).join(" · ")}</p>
      </div>
      <span className="run-line-time" title={fullTime(seen)}>
        seen {seenWords(seen, now)}
      </span>
    </li>
  );
}

function seenWords(seen: number, now: number): string {
  const words = ago(seen, now);
  return words === "now" ? "just now" : `${words} ago`;
}

function Server({ server, onRemoved }: { server: FleetView["servers"][number]; onRemoved: () => void }) {
  const { problem, underWay, attempt } = useAttempt();
  const { url, models, busy, slots, waiting, failures, down_for: pause, error } = server;
  const isDown = failures > 0;
  const load = [slotWords(busy, slots), waiting > 0 ? `${plural(waiting, "call")} waiting` : "", models.join(", ")];
  return (
    <li className="run-line">
      <span className={`run-mark ${isDown ? "run-mark-failed" : "run-mark-verified"}`}>{isDown ? "Down" : "Up"}</span>
      <div className="run-line-what">
        {url}
        <p className="view-quiet">{load.filter(Boolean).join(" · ")}</p>
        {error && <p className="view-problem">{error}</p>}
        {problem && (
          <p className="view-problem" role="alert">
            {problem}
          </p>
        )}
      </div>
      {isDown && (
        <span className="run-line-time">
          retrying {pause > 0 ? `in ${duration(pause * 1000)}` : "at the next call"}
        </span>
      )}
      <IconButton
        icon="trash"
        label={`Remove ${url} from the list`}
        disabled={underWay}
        onClick={() => {
          attempt(() => fleetActions.removeServer(url).then(onRemoved));
        }}
      />
    </li>
  );
}
