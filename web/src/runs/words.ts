/** Texts about fix runs. */
import type {
  SchemaAttemptRecord as AttemptRecord,
  SchemaNewRun as NewRun,
  SchemaRunProfile as Profile,
  SchemaRunState as RunState,
} from "../api/schema";
import { plural } from "../conversation/amounts";
import type { IconName } from "../icons";
import { capitalized, humanize, typographic, words } from "../state/words";
import type { CheckEnd, CheckLine, Node, RunEnding, RunProgress } from "./fold";

export type ProfileName = NewRun["profile"];

/** When to use a profile. */
export const WHEN: Readonly<Record<ProfileName, string>> = {
  fast: "For most things.",
  strict: "For harder problems.",
  smoke: "For simple mistakes.",
  yolo: "For long unattended runs.",
};

/** What the model may ask for under a profile. */
export function allowance({ commands, tests, coder_steps: steps, installs, app_runs: appRuns }: Profile): string {
  const may = [installs && "install packages", appRuns && "run the program"].filter(Boolean).join(" and ");
  const mayNot = [!installs && "install packages", !appRuns && "run the program"].filter(Boolean).join(" or ");
  const rights = [may && `It may ${may}`, mayNot && `may not ${mayNot}`].filter(Boolean).join("; it ");
  const sentence = may ? rights : `It may not ${mayNot}`;
  return `${plural(steps, "step")}, ${plural(commands, "command")}, ${plural(tests, "run")} of tests. ${sentence}.`;
}

/** A node's name, and what it does. */
export function nodeWords(node: Node): { name: string; task: string } {
  const { name, task } = words().nodes[node] ?? { name: capitalized(node), task: "" };
  return { name, task: typographic(task) };
}

export const VERDICT_ICONS: Readonly<Record<NonNullable<RunState["verdict"]>, IconName>> = {
  verified: "check",
  unverified: "question",
  failed: "close",
};

/** Why a run ended, in general. */
export function reasonWords(reason: string): string {
  return `${typographic(capitalized(words().run_reasons[reason] ?? humanize(reason)))}.`;
}

/** What became of an attempt. */
export function attemptWords({ number, outcome }: AttemptRecord, { attempt, end }: RunProgress): string {
  if (outcome) return words().attempts[outcome] ?? humanize(outcome);
  return number === attempt && !end ? "running" : "not judged";
}

export function purposeWords(purpose: CheckLine["purpose"]): string {
  return words().purposes[purpose] ?? purpose;
}

/** Where a command was found. */
export function originWords(why: string): string {
  return why === "--verify" ? "named by you" : why;
}

/** Why a run ended: the general reason, then the run's own explanation if it says more. */
export function endWords({ reason, explanation }: Pick<RunEnding, "reason" | "explanation">): string[] {
  const general = reason ? reasonWords(reason) : "";
  const repeats = typographic(explanation).startsWith(general.slice(0, -1));
  return [repeats ? "" : general, explanation].filter(Boolean);
}

/** How a command ended, briefly. */
export function outcomeWords({ passed, kind, failing }: Pick<CheckEnd, "passed" | "kind" | "failing">): string {
  if (passed) return "passed";
  if (failing && kind === "test_failure") return `${plural(failing, "test")} fail${failing === 1 ? "s" : ""}`;
  return words().command_failures[kind ?? "unknown"] ?? "failed";
}

export function exitWords({ exit_code: code, timed_out: timedOut }: Pick<CheckEnd, "exit_code" | "timed_out">): string {
  const { exits } = words();
  if (timedOut || code === null) return exits.timed_out ?? "";
  return (exits[code < 0 ? "signal" : "exit_code"] ?? "").replace("{}", String(Math.abs(code)));
}

/** The first message of a chat about a run that was not verified. */
export function chatAbout({ goal, explanation, current_checks }: Pick<RunState, "goal" | "explanation" | "current_checks">): string {
  const failing = current_checks.filter(({ passed }) => !passed).map(({ command, summary }) => `- ${command}: ${summary}`);
  const left = failing.length > 0 ? `What still fails:\n${failing.join("\n")}` : "";
  const outcome = explanation && `A fix run did not succeed: ${explanation}`;
  return [goal, outcome, left].filter(Boolean).join("\n\n");
}

/** The commands in a text with one per line. */
export function commandsIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
