import type { Call } from "./steps";
import type { Failure, Message, StopReason, TurnMeta } from "./messages";
import { duration, grouped, plural } from "./amounts";

export const STOP_WORDS: Readonly<Record<StopReason, string>> = {
  answered: "Answered",
  synthesized: "Answered from the files",
  paused: "Paused to ask you",
  step_cap: "Stopped: steps used up",
  doom_loop: "Stopped: going in circles",
  mistakes: "Stopped: repeated errors",
  empty_reply: "Stopped: no reply",
  model_error: "Failed",
  aborted: "Stopped by you",
};

const FAILURE_WORDS: Readonly<Record<Failure, string>> = {
  schema_reject: "arguments refused",
  tool_not_found: "no such tool",
  exec_error: "failed",
  api_error: "service failed",
  permission_denied: "not allowed",
};

export type Outcome = { mark: "running" | "done" | "failed" | "denied" | "lost"; words: string };

/** How a call ended, in a word. `live` says whether its result can still come. */
export function outcomeOf({ call, result }: Pick<Call, "call" | "result">, live: boolean): Outcome {
  if (!result) return live ? { mark: "running", words: "running" } : { mark: "lost", words: "no result" };
  if (!result.failure) return { mark: "done", words: "done" };
  const ran = call.name === "run_command" && result.failure === "exec_error";
  const words = (ran && /^exit code -?\d+/.exec(result.content)?.[0]) || FAILURE_WORDS[result.failure];
  return { mark: result.failure === "permission_denied" ? "denied" : "failed", words };
}

/** "repaired: trailing comma, wrong case": repairs go by names such as `trailing_comma`. */
export function repairWords(repairs: readonly string[]): string {
  return [...new Set(repairs)].map(spoken).join(", ");
}

/** "failed, no such tool": what went wrong, each kind once. */
export function failureKindWords(kinds: readonly string[]): string {
  return [...new Set(kinds)].map((kind) => (isFailure(kind) ? FAILURE_WORDS[kind] : spoken(kind))).join(", ");
}

/** What stands under a finished turn, piece by piece. */
export function turnEndWords(turn: TurnMeta): string[] {
  const used = turn.usage;
  const repairs = Object.entries(turn.repairs ?? {});
  const count = repairs.reduce((sum, [, times]) => sum + times, 0);
  return [
    turn.stop_reason ? STOP_WORDS[turn.stop_reason] : "",
    turn.steps > 0 ? plural(turn.steps, "step") : "",
    used && used.prompt_tokens + used.completion_tokens > 0
      ? `${grouped(used.prompt_tokens)} tokens in, ${grouped(used.completion_tokens)} out`
      : "",
    turn.duration_ms > 0 ? duration(turn.duration_ms) : "",
    count > 0 ? `${plural(count, "repair")}: ${repairs.map(repairCount).join(", ")}` : "",
  ].filter(Boolean);
}

/** Ends that need no more words than the line under the turn has. */
const PLAIN_ENDS: ReadonlySet<string> = new Set([
  "The model answered.",
  "The model asked a question and waits for the answer.",
  "The model answered from the files behind what its tools had found.",
]);

/**
 * What is to be said of a message that is not whole, or whose turn did not simply end; empty if nothing is. `said` is
 * the sentence of the sentinel below it: nobody needs to read the same twice.
 */
export function markOf(message: Message, said: string | undefined): string {
  const turn = message.metadata.kind === "turn" ? message.metadata : null;
  if (turn && turn.explanation !== "" && turn.explanation === said) return "";
  // What a synthesis was written from stands above it.
  if (turn?.beside != null && message.status === "complete") return "";
  const explanation = turn && !endedPlainly(turn) ? turn.explanation : "";
  return [statusWord(message.status, turn?.beside != null), explanation].filter(Boolean).join(": ");
}

/** An external agent answers under its own name. */
function endedPlainly({ agent, explanation }: TurnMeta): boolean {
  return PLAIN_ENDS.has(explanation) || explanation === `${agent} answered.`;
}

function statusWord(status: Message["status"], synthesis: boolean): string {
  switch (status) {
    case "failed":
      return synthesis ? "The synthesis came to nothing, the turn went on without it" : "Failed";
    case "cancelled":
      return "Stopped before its end";
    default:
      return "";
  }
}

/** What a screen reader is told as the chat goes on: states, never tokens. */
export function statusWords(last: Message | undefined, busy: boolean, asks: number): string {
  if (asks > 0) return asks === 1 ? "A question waits for you." : `${String(asks)} questions wait for you.`;
  if (busy) return "Answering.";
  if (last?.metadata.kind !== "turn" || last.status === "streaming") return "";
  const { stop_reason: reason } = last.metadata;
  return reason ? `${STOP_WORDS[reason]}.` : "The turn has ended.";
}

function repairCount([name, times]: [string, number]): string {
  return times > 1 ? `${spoken(name)} ×${String(times)}` : spoken(name);
}

function isFailure(kind: string): kind is Failure {
  return kind in FAILURE_WORDS;
}

function spoken(name: string): string {
  return name.replaceAll("_", " ");
}
