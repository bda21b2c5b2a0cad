/**
 * A fix run as it is shown: what was stored when it was loaded, and the frames. Pure. The stored state is written after
 * every node, so within a node the frames are ahead of it; for a run that was resumed it also holds what was before.
 */
import type { SchemaCommandRun as CommandRun, SchemaPlan as Plan, SchemaRunState as RunState } from "../api/schema";
import type { Envelope, FrameOf, RunDetail } from "../api/types";

export const MAX_ATTEMPTS = 3;

export type Node = RunState["node"];

/** A command that was run, or runs. */
export interface CheckLine {
  attempt: number;
  purpose: CommandRun["purpose"];
  command: string;
  /** For a candidate: the change that was tested. */
  note: string;
  /** Null while it runs. */
  ended: CheckEnd | null;
  /** Under which its log is kept; null before that is known. */
  number: number | null;
}

export type CheckEnd = Pick<CommandRun, "exit_code" | "timed_out" | "seconds" | "passed" | "kind" | "summary"> & {
  /** How many tests fail, where that is known. */
  failing: number | null;
};

export interface RunProgress {
  node: Node;
  /** From 1; 0 before the first. */
  attempt: number;
  /** How often the verifier found the work wanting. */
  attempts: number;
  plan: Plan | null;
  checks: readonly CheckLine[];
  notes: readonly string[];
  /** Once it has ended. */
  end: RunEnding | null;
  /** Why it broke off, if it did. */
  broke: string | null;
}

export interface RunEnding {
  verdict: NonNullable<RunState["verdict"]>;
  reason: RunState["reason"];
  explanation: string;
}

export function foldRun({ run }: RunDetail, envelopes: readonly Envelope[]): RunProgress {
  const { state } = run;
  const told = envelopes.reduce<Told>(tell, NOTHING);
  const stored = state.runs.map((each) => storedCheck(each, state));
  const end = endingOf(state) ?? told.end;
  const goesOn = run.running && !end;
  const checks = joined(stored, told.checks);
  return {
    // Of a run that was stopped, the state says where it would go on.
    node: end ? "done" : goesOn ? (told.node ?? state.node) : state.node,
    attempt: Math.max(told.attempt, state.attempt),
    attempts: Math.max(told.attempts, state.history.attempts),
    plan: told.plan ?? state.plan ?? null,
    checks: goesOn ? checks : checks.filter(({ ended }) => ended),
    notes: told.notes,
    end,
    broke: told.broke,
  };
}

/** The same of frames alone: of a run elsewhere, whose state is not here. */
export function foldFrames(envelopes: readonly Envelope[], running: boolean): RunProgress {
  const told = envelopes.reduce<Told>(tell, NOTHING);
  const checks = running ? told.checks : told.checks.filter(({ ended }) => ended);
  return { ...told, node: told.end ? "done" : (told.node ?? "baseline"), checks };
}

/** Candidates that were tested, and how many of them passed. */
export function candidatesOf(checks: readonly CheckLine[]): { tested: number; passed: number } {
  const ended = checks.filter(({ purpose, ended: end }) => purpose === "candidate" && end !== null);
  return { tested: ended.length, passed: ended.filter((each) => each.ended?.passed).length };
}

/** What the frames alone tell. */
interface Told {
  node: Node | null;
  attempt: number;
  attempts: number;
  plan: Plan | null;
  checks: readonly CheckLine[];
  notes: readonly string[];
  end: RunEnding | null;
  broke: string | null;
}

const NOTHING: Told = {
  node: null,
  attempt: 0,
  attempts: 0,
  plan: null,
  checks: [],
  notes: [],
  end: null,
  broke: null,
};

function tell(told: Told, { frame }: Envelope): Told {
  switch (frame.type) {
    case "run_start":
      return { ...told, end: null, broke: null };
    case "run_node":
      return { ...told, node: frame.node, attempt: frame.attempt, attempts: frame.attempts };
    case "run_plan":
      return { ...told, plan: frame.plan };
    case "run_check_start": {
      const { purpose, command, note } = frame;
      return { ...told, checks: [...told.checks, { attempt: told.attempt, purpose, command, note, ended: null, number: null }] };
    }
    case "run_check":
      return { ...told, checks: withEnd(told, frame) };
    case "run_attempt_end":
      return { ...told, attempts: told.attempts + 1 };
    case "run_note":
    case "told":
      return { ...told, notes: [...told.notes, frame.text] };
    case "work_failed":
      return { ...told, broke: frame.error };
    case "run_end": {
      const { verdict, reason, explanation } = frame;
      return { ...told, node: "done", end: { verdict, reason, explanation }, attempts: frame.failure_history.attempts };
    }
    default:
      return told;
  }
}

function withEnd(told: Told, frame: FrameOf<"run_check">): CheckLine[] {
  const { purpose, command, note, exit_code, timed_out, seconds, passed, kind, summary } = frame;
  const end: CheckEnd = { exit_code, timed_out, seconds, passed, kind, summary, failing: frame.failing ?? null };
  const running = told.checks.findLastIndex((each) => each.ended === null && each.command === command);
  const line: CheckLine = { attempt: told.attempt, purpose, command, note, ended: end, number: null };
  return running < 0 ? [...told.checks, line] : told.checks.with(running, line);
}

function storedCheck(run: CommandRun, state: RunState): CheckLine {
  const { number, attempt, purpose, command, exit_code, timed_out, seconds, passed, kind, summary, log } = run;
  const ended = { exit_code, timed_out, seconds, passed, kind, summary, failing: failingOf(run, state) };
  return { attempt, purpose, command, note: "", ended, number: log ? number : null };
}

/** How many tests failed in a command that judged, as its report says. */
function failingOf({ purpose, command, attempt }: CommandRun, state: RunState): number | null {
  const judged = state.attempts_made.find(({ number }) => number === attempt)?.checks ?? [];
  const checks = purpose === "baseline" ? state.baseline : purpose === "verify" ? judged : [];
  return checks.find((check) => check.command === command)?.report.failing.length ?? null;
}

/**
 * Stored commands, then those that only frames tell of. Frames tell of no command of the coder, and begin at the start
 * or at a resume: so the first of them are the last of the stored ones, as far as the state had them.
 */
function joined(stored: readonly CheckLine[], told: readonly CheckLine[]): CheckLine[] {
  const judged = stored.filter(({ purpose }) => purpose !== "coder");
  let shared = Math.min(judged.length, told.length);
  while (shared > 0 && !judged.slice(-shared).every((each, place) => isSame(each, told[place]))) shared -= 1;
  const known = new Map(judged.slice(judged.length - shared).map((each, place) => [each, told[place]]));
  // The frame says more: how many tests fail, and what was tried.
  const merged = stored.map((each) => ({ ...each, ...known.get(each), number: each.number }));
  return [...merged, ...told.slice(shared)];
}

function isSame(one: CheckLine, other: CheckLine | undefined): boolean {
  if (!one.ended || !other?.ended) return false;
  const { purpose, command, ended } = other;
  // Seconds are rounded when they are stored.
  return one.purpose === purpose && one.command === command && Math.abs(one.ended.seconds - ended.seconds) < 0.001;
}

function endingOf({ verdict, reason, explanation, ended_at: endedAt }: RunState): RunEnding | null {
  return endedAt != null && verdict ? { verdict, reason, explanation } : null;
}
