import type { FrameOf } from "../api/types";
import type { Waiting } from "../state/chat";
import { humanize, words } from "../state/words";
import type { Call } from "./steps";
import type { Ask, Message, StopReason, TurnMeta } from "./messages";
import { duration, grouped, plural, wholeSeconds } from "./amounts";
import { lookupWords } from "./tools";

export type Outcome = { mark: "running" | "done" | "failed" | "denied" | "lost"; words: string };

/** How a call ended. `live`: its result can still come; `asked`: it waits for approval. */
export function outcomeOf({ call, result }: Pick<Call, "call" | "result">, live: boolean, asked = false): Outcome {
  if (!result && !live) return { mark: "lost", words: "no result" };
  if (!result) return { mark: "running", words: asked ? "waiting for you" : "running" };
  if (!result.failure) return { mark: "done", words: "done" };
  const ran = call.name === "run_command" && result.failure === "exec_error";
  const exit = ran ? /^exit code -?\d+/.exec(result.content)?.[0] : undefined;
  return { mark: result.failure === "permission_denied" ? "denied" : "failed", words: exit ?? failureWords(result.failure) };
}

/** Summary of consecutive calls: "Read 9 files, searched twice", and "24 failed, 1 not allowed". */
export function groupWords(calls: readonly Pick<Call, "call" | "result">[], live: boolean): Outcome & { heading: string } {
  const outcomes = calls.map((call) => outcomeOf(call, live));
  const count = (mark: Outcome["mark"]) => outcomes.filter((each) => each.mark === mark).length;
  const done = calls.filter((_, index) => outcomes[index]?.mark === "done").map(({ call }) => call);
  const problems = (["failed", "denied", "lost"] as const).filter((mark) => count(mark) > 0);
  const named = { failed: failureWords("exec_error"), denied: failureWords("permission_denied"), lost: "without a result" };
  const pieces = problems.map((mark) => `${String(count(mark))} ${named[mark]}`);
  const running = count("running") > 0;
  return {
    heading: lookupWords(done) || plural(calls.length, "call"),
    // The outcome that the user needs to know first.
    mark: running ? "running" : (problems[0] ?? "done"),
    words: [running ? "running" : "", ...pieces].filter(Boolean).join(", ") || "done",
  };
}

/** "trailing comma, wrong case", from names such as `trailing_comma`. */
export function repairWords(repairs: readonly string[]): string {
  return [...new Set(repairs)].map(humanize).join(", ");
}

/** "failed, no such tool": each kind once. */
export function failureKindWords(kinds: readonly string[]): string {
  return [...new Set(kinds)].map(failureWords).join(", ");
}

/** The line under a finished turn, in pieces. */
export function turnEndWords(turn: TurnMeta): string[] {
  const used = turn.usage;
  const repairs = Object.entries(turn.repairs ?? {});
  const count = repairs.reduce((sum, [, times]) => sum + times, 0);
  return [
    turn.stop_reason ? stopWords(turn.stop_reason) : "",
    turn.steps > 0 ? plural(turn.steps, "step") : "",
    used && used.prompt_tokens + used.completion_tokens > 0
      ? `${grouped(used.prompt_tokens)} tokens in${cachedWords(used)}, ${grouped(used.completion_tokens)} out`
      : "",
    turn.duration_ms > 0 ? duration(turn.duration_ms) : "",
    count > 0 ? `${plural(count, "repair")}: ${repairs.map(repairCount).join(", ")}` : "",
  ].filter(Boolean);
}

/** Seconds without a new word before a reply counts as paused. */
const PAUSE_SHOWN = 2;

/** The line while waiting: how much of the prompt is read, and the silence. `doing` is empty once the reply has started. */
export function waitingWords(doing: string, waiting: Waiting | null, now: number): string {
  const seconds = waiting ? Math.max(0, Math.floor((now - waiting.since) / 1000)) : 0;
  if (!doing) return seconds >= PAUSE_SHOWN ? `No output for ${wholeSeconds(seconds)}` : speedWords(waiting, now);
  if (!waiting) return doing;
  const { read } = waiting;
  const text = read ? `${readingWords(read)} ·` : doing;
  return `${text} ${wholeSeconds(seconds)}`;
}

/** Characters per token, for an estimate while words come; the turn's end has the server's count. */
const CHARS_PER_TOKEN = 4;

function speedWords(waiting: Waiting | null, now: number): string {
  const written = waiting?.written;
  const seconds = written ? (now - written.since) / 1000 : 0;
  if (!written || seconds < 1) return "";
  const speed = written.chars / CHARS_PER_TOKEN / seconds;
  return `Writing for ${wholeSeconds(Math.floor(seconds))}, about ${speed < 10 ? speed.toFixed(1) : String(Math.round(speed))} tokens a second`;
}

function readingWords({ processed, total, seconds_left: left }: FrameOf<"prompt_progress">): string {
  const share = `${String(Math.floor((100 * processed) / total))} %`;
  const rest = left ? `, about ${wholeSeconds(Math.max(1, Math.round(left)))} left` : "";
  return `Reading the prompt, ${share}, ${grouped(processed)} of ${grouped(total)} tokens${rest}`;
}

/**
 * The note on a message that is incomplete, or whose turn did not simply end; empty if there is none. `sentence` is
 * that of the sentinel below it, which should not be repeated.
 */
export function markOf(message: Message, sentence: string | undefined): string {
  const turn = message.metadata.kind === "turn" ? message.metadata : null;
  if (turn && turn.explanation !== "" && turn.explanation === sentence) return "";
  // The messages that a synthesis was written from are above it.
  if (turn?.parent_message_id != null && message.status === "complete") return "";
  const explanation = turn && !endedPlainly(turn) ? turn.explanation : "";
  return [statusWord(message.status, turn?.parent_message_id != null), explanation].filter(Boolean).join(": ");
}

/** The line under the turn says enough. An external agent answers under its own name. */
function endedPlainly({ agent, explanation, stop_reason: reason }: TurnMeta): boolean {
  return explanation === `${agent} answered.` || (reason != null && explanation === words().stops[reason]?.sentence);
}

function statusWord(status: Message["status"], synthesis: boolean): string {
  switch (status) {
    case "failed":
      return synthesis ? "The synthesis failed, and the turn continued without it" : "Failed";
    case "cancelled":
      return "Stopped early";
    default:
      return "";
  }
}

/** The status for screen readers: states, never tokens. */
export function statusWords(last: Message | undefined, busy: boolean, asks: number): string {
  if (asks > 0) return asks === 1 ? "A question is waiting for you." : `${String(asks)} questions are waiting for you.`;
  if (busy) return "Answering.";
  if (last?.metadata.kind !== "turn" || last.status === "streaming") return "";
  const { stop_reason: reason } = last.metadata;
  return reason ? `${stopWords(reason)}.` : "The turn has ended.";
}

/** Whether a command ran with pending edits applied; empty if there are none. */
export function pendingWords(seen: number, unseen: number): string {
  if (unseen > 0) return `did not see your ${edits(unseen)}`;
  return seen > 0 ? `ran with your ${edits(seen)}` : "";
}

const OPENED: Readonly<Record<string, string>> = {
  network: "the network",
  git: "write access to the git repository",
  ignored: "write access to files that no checkpoint restores",
};

/** The question to the user, depending on what needs approval and what it can do. */
export function askTitle({ is_command: isCommand, removes }: Pick<Ask, "is_command" | "removes">): string {
  if (!isCommand) return "Let the agent do this?";
  return removes ? "Run this command? It deletes or overwrites files." : "Run this command?";
}

/** What an approval gives access to: "the network and write access to the git repository". */
export function opensWords(opens: readonly string[]): string {
  return opens.map((each) => OPENED[each] ?? humanize(each)).join(" and ");
}

function edits(count: number): string {
  return count === 1 ? "pending edit" : `${String(count)} pending edits`;
}

function cachedWords({ cached_tokens: cached, prompt_tokens: prompt }: NonNullable<TurnMeta["usage"]>): string {
  return cached > 0 && prompt > 0 ? ` (${String(Math.min(100, Math.round((100 * cached) / prompt)))} % cached)` : "";
}

function repairCount([name, times]: [string, number]): string {
  return times > 1 ? `${humanize(name)} ×${String(times)}` : humanize(name);
}

function stopWords(reason: StopReason): string {
  return words().stops[reason]?.label ?? humanize(reason);
}

function failureWords(kind: string): string {
  return words().failures[kind] ?? humanize(kind);
}
