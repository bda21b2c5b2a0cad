import { type CheckLine, MAX_ATTEMPTS, type Node, type RunProgress } from "./fold";

/** `failed`: passed through, and its commands failed. `ahead`: it may still come. `unreached`: it will not. */
export type Stage = "past" | "failed" | "now" | "ahead" | "unreached";

const WAY: readonly Node[] = ["baseline", "planner", "coder", "verifier"];

/** How a node of the graph is drawn. */
export function stageOf(node: Node, progress: RunProgress, running: boolean): Stage {
  const place = placeOf(node, progress, running);
  return place === "past" && commandsFailed(node, progress) ? "failed" : place;
}

function placeOf(node: Node, { node: current, end, attempt, plan, checks }: RunProgress, running: boolean): Stage {
  const isEnd = node === "done" || node === "snitch";
  if (end) {
    const reached = end.verdict === "verified" ? "done" : "snitch";
    if (isEnd) return node === reached ? "now" : "unreached";
    // A run may end at its baseline, where there is nothing to run or nothing to fix.
    const judged = checks.some(({ purpose }) => purpose === "verify");
    const reachedIt = { baseline: true, planner: attempt > 0, coder: plan !== null || judged, verifier: judged };
    return end.verdict === "verified" || reachedIt[node] ? "past" : "unreached";
  }
  if (node === current) return running ? "now" : "ahead";
  if (isEnd) return "ahead";
  return isEndNode(current) || WAY.indexOf(node) < WAY.indexOf(current) ? "past" : "ahead";
}

const JUDGES: Partial<Record<Node, CheckLine["purpose"]>> = { baseline: "baseline", verifier: "verify" };

/** Whether a command failed there, the last time that it ran its commands. */
function commandsFailed(node: Node, { checks }: RunProgress): boolean {
  const own = checks.filter(({ purpose, ended }) => purpose === JUDGES[node] && ended);
  return own.some(({ attempt, ended }) => attempt === own.at(-1)?.attempt && !ended?.passed);
}

export type Attempt = "failed" | "passed" | "now" | "left";

/** The three attempts that a run has, as marks. */
export function attemptsOf({ attempts, end, attempt }: RunProgress): Attempt[] {
  return Array.from({ length: MAX_ATTEMPTS }, (_, place) => {
    if (place < attempts) return "failed";
    if (place === attempts && end?.verdict === "verified") return "passed";
    return place === attempts && !end && attempt > attempts ? "now" : "left";
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
