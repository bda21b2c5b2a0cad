/** What a fix run is, does and comes to, in words for a person. */
import type {
  SchemaAttemptRecord as AttemptRecord,
  SchemaNewRun as NewRun,
  SchemaProfile as Profile,
  SchemaRunState as RunState,
} from "../api/schema";
import { plural } from "../conversation/amounts";
import type { IconName } from "../icons";
import { capitalized, spoken, words } from "../state/words";
import type { CheckEnd, CheckLine, Node, RunEnding, RunProgress } from "./fold";

export type ProfileName = NewRun["profile"];

/** When one takes a profile. */
export const WHEN: Readonly<Record<ProfileName, string>> = {
  fast: "For most things.",
  strict: "For harder problems.",
  smoke: "For simple slips.",
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

export const NODES: Readonly<Record<Node, { name: string; does: string }>> = {
  baseline: { name: "Baseline", does: "What do the project’s commands say now?" },
  planner: { name: "Planner", does: "What to do, and for which failure" },
  coder: { name: "Coder", does: "Changes files in a work tree" },
  verifier: { name: "Verifier", does: "Runs the project’s own commands" },
  snitch: { name: "Report", does: "Reports what is left" },
  done: { name: "Done", does: "The commands pass" },
};

export const VERDICT_ICONS: Readonly<Record<NonNullable<RunState["verdict"]>, IconName>> = {
  verified: "check",
  unverified: "question",
  failed: "close",
};

/** Why a run ended, in general. */
export function reasonWords(reason: string): string {
  return `${capitalized(words().run_reasons[reason] ?? spoken(reason)).replaceAll("'", "’")}.`;
}

/** What became of an attempt. */
export function attemptWords({ number, outcome }: AttemptRecord, { attempt, end }: RunProgress): string {
  if (outcome) return words().attempts[outcome] ?? spoken(outcome);
  return number === attempt && !end ? "under way" : "not judged";
}

export const PURPOSES: Readonly<Record<CheckLine["purpose"], string>> = {
  baseline: "baseline",
  verify: "verifier",
  candidate: "candidate",
  coder: "coder",
};

const FAILURES: Readonly<Record<NonNullable<CheckEnd["kind"]>, string>> = {
  test_failure: "tests fail",
  lint_failure: "lint finds faults",
  runtime_error: "the program breaks",
  tooling_error: "the command could not run",
  unknown: "fails",
};

/** Where a command comes from. */
export function originWords(why: string): string {
  return why === "--verify" ? "named by you" : why;
}

/** Why a run ended: in general, then what it said itself where that is more. */
export function endWords({ reason, explanation }: Pick<RunEnding, "reason" | "explanation">): string[] {
  const general = reason ? reasonWords(reason) : "";
  const repeats = explanation.replaceAll("'", "’").startsWith(general.slice(0, -1));
  return [repeats ? "" : general, explanation].filter(Boolean);
}

/** How a command ended, in a few words. */
export function outcomeWords({ passed, kind, failing }: Pick<CheckEnd, "passed" | "kind" | "failing">): string {
  if (passed) return "passed";
  if (failing && kind === "test_failure") return `${plural(failing, "test")} fail${failing === 1 ? "s" : ""}`;
  return FAILURES[kind ?? "unknown"];
}

export function exitWords({ exit_code: code, timed_out: timedOut }: Pick<CheckEnd, "exit_code" | "timed_out">): string {
  if (timedOut || code === null) return "stopped at its time limit";
  return code < 0 ? `ended by signal ${String(-code)}` : `exit code ${String(code)}`;
}

/** With what a person begins a chat about a run that did not get there. */
export function chatAbout({ goal, explanation, current_checks }: Pick<RunState, "goal" | "explanation" | "current_checks">): string {
  const failing = current_checks.filter(({ passed }) => !passed).map(({ command, summary }) => `- ${command}: ${summary}`);
  const left = failing.length > 0 ? `What still fails:\n${failing.join("\n")}` : "";
  const told = explanation && `A fix run did not succeed: ${explanation}`;
  return [goal, told, left].filter(Boolean).join("\n\n");
}

/** One command a line, as the person wrote them. */
export function commandsIn(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
