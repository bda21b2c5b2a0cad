import { Icon, type IconName } from "../icons";
import type { Node, RunProgress } from "./fold";
import { type Attempt, type Stage, attemptWords, attemptsOf, stageOf } from "./graph";
import { nodeWords } from "./words";

const WAY: readonly Node[] = ["baseline", "planner", "coder", "verifier"];

const STAGE_WORDS: Readonly<Record<Stage, string>> = {
  past: "completed",
  failed: "commands failed",
  now: "current",
  ahead: "not reached yet",
  unreached: "not reached",
};

/** The nodes of a run: a loop until the commands pass, at most three times. */
export function RunGraph({ progress, running }: { progress: RunProgress; running: boolean }) {
  const drawn = (node: Node) => (
    <GraphNode key={node} node={node} stage={stageOf(node, progress, running)} running={running} />
  );
  return (
    <figure className="run-graph">
      <ol className="run-graph-way" aria-label="Stages of the run">
        {WAY.map(drawn)}
        <li className="run-graph-ends">
          <ul className="run-graph-either" aria-label="One of these ends the run">
            {drawn("done")}
            {drawn("snitch")}
          </ul>
        </li>
      </ol>
      <div className="run-graph-back">
        <Icon name="loop" />
        <span>Failed: plan again, at most 3 times</span>
      </div>
      <figcaption className="run-graph-attempts">
        <span aria-hidden="true" className="run-graph-marks">
          {attemptsOf(progress).map((attempt, index) => (
            <span key={index} className={`run-attempt run-attempt-${attempt}`}>
              <Icon name={ATTEMPT_ICONS[attempt]} />
            </span>
          ))}
        </span>
        <span role="status">{attemptWords(progress)}</span>
      </figcaption>
    </figure>
  );
}

const ATTEMPT_ICONS: Readonly<Record<Attempt, IconName>> = {
  failed: "close",
  passed: "check",
  now: "play",
  left: "circle",
};

interface NodeProps {
  node: Node;
  stage: Stage;
  running: boolean;
}

function GraphNode({ node, stage, running }: NodeProps) {
  const { name, task } = nodeWords(node);
  const working = stage === "now" && running;
  return (
    <li
      className={`run-node run-node-${stage} ${working ? "run-node-working" : ""} run-node-${node}`}
      aria-current={stage === "now" ? "step" : undefined}
    >
      <span className="run-node-name">
        {name}
        {working ? (
          <span className="run-node-stage">running</span>
        ) : (
          <span className="visually-hidden">, {STAGE_WORDS[stage]}</span>
        )}
        {stage === "past" && <Icon name="check" size={13} />}
        {stage === "failed" && <Icon name="close" size={13} />}
      </span>
      <span className="run-node-does">{task}</span>
    </li>
  );
}
