import { type CheckLine, MAX_ATTEMPTS, type Node, type RunProgress } from "./fold";

/** `failed`: done, and its commands failed. `ahead`: it may still come. `unreached`: it will not. */
export type Stage = "past" | "failed" | "now" | "ahead" | "unreached";

const WAY: readonly Node[] = ["baseline", "planner", "coder", "verifier"];

/** How a node of the graph is drawn. */
export function stageOf(node: Node, progress: RunProgress, running: boolean): Stage {
  const stage = positionOf(node, progress, running);
  return stage === "past" && commandsFailed(node, progress) ? "failed" : stage;
}

function positionOf(node: Node, { node: current, end, attempt, plan, checks }: RunProgress, running: boolean): Stage {
  const isEnd = node === "done" || node === "snitch";
  if (end) {
    const reached = end.verdict === "verified" ? "done" : "snitch";
    if (isEnd) return node === reached ? "now" : "unreached";
    // A run may end at its baseline, if there is nothing to run or nothing to fix.
    const judged = checks.some(({ purpose }) => purpose === "verify");
    const reachedIt = { baseline: true, planner: attempt > 0, coder: plan !== null || judged, verifier: judged };
    return end.verdict === "verified" || reachedIt[node] ? "past" : "unreached";
  }
  if (node === current) return running ? "now" : "ahead";
  if (isEnd) return "ahead";
  return isEndNode(current) || WAY.indexOf(node) < WAY.indexOf(current) ? "past" : "ahead";
}

const JUDGES: Partial<Record<Node, CheckLine["purpose"]>> = { baseline: "baseline", verifier: "verify" };

/** Whether a command failed in the node's last run of its commands. */
function commandsFailed(node: Node, { checks }: RunProgress): boolean {
  const own = checks.filter(({ purpose, ended }) => purpose === JUDGES[node] && ended);
  return own.some(({ attempt, ended }) => attempt === own.at(-1)?.attempt && !ended?.passed);
}

export type Attempt = "failed" | "passed" | "now" | "left";

/** The three possible attempts, as marks. */
export function attemptsOf({ attempts, end, attempt }: RunProgress): Attempt[] {
  return Array.from({ length: MAX_ATTEMPTS }, (_, index) => {
    if (index < attempts) return "failed";
    if (index === attempts && end?.verdict === "verified") return "passed";
    return index === attempts && !end && attempt > attempts ? "now" : "left";
  });
}

/** The marks in words. */
export function attemptWords({ attempts, end, attempt }: RunProgress): string {
  const failed = attempts === 0 ? "" : `, ${String(attempts)} failed`;
  if (attempt === 0) return end ? "No attempt was made" : "No attempt yet";
  return `${end ? "Ended in attempt" : "Attempt"} ${String(attempt)} of ${String(MAX_ATTEMPTS)}${failed}`;
}

function isEndNode(node: Node): boolean {
  return node === "done" || node === "snitch";
}
