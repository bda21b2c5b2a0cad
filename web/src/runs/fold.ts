/**
 * A fix run as it is shown: its stored state when it was loaded, and the frames. Pure. The state is stored after every
 * node, so within a node the frames are ahead of it; for a resumed run it also has what was before.
 */
import type { SchemaCommandRun as CommandRun, SchemaPlan as Plan, SchemaRunState as RunState } from "../api/schema";
import type { Envelope, FrameOf, RunDetail } from "../api/types";

export const MAX_ATTEMPTS = 3;

export type Node = RunState["node"];

/** A command that ran, or is running. */
export interface CheckLine {
  attempt: number;
  purpose: CommandRun["purpose"];
  command: string;
  /** For a candidate: its change. */
  note: string;
  /** Null while it runs. */
  ended: CheckEnd | null;
  /** The number of its log; null before that is known. */
  number: number | null;
}

export type CheckEnd = Pick<CommandRun, "exit_code" | "timed_out" | "seconds" | "passed" | "kind" | "summary"> & {
  /** How many tests fail, if known. */
  failing: number | null;
};

export interface RunProgress {
  node: Node;
  /** From 1; 0 before the first. */
  attempt: number;
  /** How many attempts the verifier rejected. */
  attempts: number;
  plan: Plan | null;
  checks: readonly CheckLine[];
  notes: readonly string[];
  /** Set once it has ended. */
  end: RunEnding | null;
  /** Why it crashed, if it did. */
  broke: string | null;
}

export interface RunEnding {
  verdict: NonNullable<RunState["verdict"]>;
  reason: RunState["reason"];
  explanation: string;
}

export function foldRun({ run }: RunDetail, envelopes: readonly Envelope[]): RunProgress {
  const { state } = run;
  const progress = envelopes.reduce<FrameProgress>(fold, NOTHING);
  const stored = state.runs.map((each) => storedCheck(each, state));
  const end = endingOf(state) ?? progress.end;
  const active = run.running && !end;
  const checks = joined(stored, progress.checks);
  return {
    // For an interrupted run, the state says where it would resume.
    node: end ? "done" : active ? (progress.node ?? state.node) : state.node,
    attempt: Math.max(progress.attempt, state.attempt),
    attempts: Math.max(progress.attempts, state.history.attempts),
    plan: progress.plan ?? state.plan ?? null,
    checks: active ? checks : checks.filter(({ ended }) => ended),
    notes: progress.notes,
    end,
    broke: progress.broke,
  };
}

/** The same from frames alone: for a run elsewhere, whose state is not here. */
export function foldFrames(envelopes: readonly Envelope[], running: boolean): RunProgress {
  const progress = envelopes.reduce<FrameProgress>(fold, NOTHING);
  const checks = running ? progress.checks : progress.checks.filter(({ ended }) => ended);
  return { ...progress, node: progress.end ? "done" : (progress.node ?? "baseline"), checks };
}

/** Candidates that were tested, and how many of them passed. */
export function candidatesOf(checks: readonly CheckLine[]): { tested: number; passed: number } {
  const ended = checks.filter(({ purpose, ended: end }) => purpose === "candidate" && end !== null);
  return { tested: ended.length, passed: ended.filter((each) => each.ended?.passed).length };
}

/** The part of the progress that comes from frames. */
interface FrameProgress {
  node: Node | null;
  attempt: number;
  attempts: number;
  plan: Plan | null;
  checks: readonly CheckLine[];
  notes: readonly string[];
  end: RunEnding | null;
  broke: string | null;
}

const NOTHING: FrameProgress = {
  node: null,
  attempt: 0,
  attempts: 0,
  plan: null,
  checks: [],
  notes: [],
  end: null,
  broke: null,
};

function fold(progress: FrameProgress, { frame }: Envelope): FrameProgress {
  switch (frame.type) {
    case "run_start":
      return { ...progress, end: null, broke: null };
    case "run_node":
      return { ...progress, node: frame.node, attempt: frame.attempt, attempts: frame.attempts };
    case "run_plan":
      return { ...progress, plan: frame.plan };
    case "run_check_start": {
      const { purpose, command, note } = frame;
      return { ...progress, checks: [...progress.checks, { attempt: progress.attempt, purpose, command, note, ended: null, number: null }] };
    }
    case "run_check":
      return { ...progress, checks: withEnd(progress, frame) };
    case "run_attempt_end":
      return { ...progress, attempts: progress.attempts + 1 };
    case "run_note":
    case "notice":
      return { ...progress, notes: [...progress.notes, frame.text] };
    case "work_failed":
      return { ...progress, broke: frame.error };
    case "run_end": {
      const { verdict, reason, explanation } = frame;
      return { ...progress, node: "done", end: { verdict, reason, explanation }, attempts: frame.failure_history.attempts };
    }
    default:
      return progress;
  }
}

function withEnd(progress: FrameProgress, frame: FrameOf<"run_check">): CheckLine[] {
  const { purpose, command, note, exit_code, timed_out, seconds, passed, kind, summary } = frame;
  const end: CheckEnd = { exit_code, timed_out, seconds, passed, kind, summary, failing: frame.failing ?? null };
  const running = progress.checks.findLastIndex((each) => each.ended === null && each.command === command);
  const line: CheckLine = { attempt: progress.attempt, purpose, command, note, ended: end, number: null };
  return running < 0 ? [...progress.checks, line] : progress.checks.with(running, line);
}

function storedCheck(run: CommandRun, state: RunState): CheckLine {
  const { number, attempt, purpose, command, exit_code, timed_out, seconds, passed, kind, summary, log } = run;
  const ended = { exit_code, timed_out, seconds, passed, kind, summary, failing: failingOf(run, state) };
  return { attempt, purpose, command, note: "", ended, number: log ? number : null };
}

/** How many tests failed in a verifying command, from its report. */
function failingOf({ purpose, command, attempt }: CommandRun, state: RunState): number | null {
  const judged = state.attempts_made.find(({ number }) => number === attempt)?.checks ?? [];
  const checks = purpose === "baseline" ? state.baseline : purpose === "verify" ? judged : [];
  return checks.find((check) => check.command === command)?.report.failing.length ?? null;
}

/**
 * Stored commands, then those that are only in frames. The coder's commands have no frames, and frames begin at the start
 * or at a resume: so the first of them are the last of the stored ones, as far as the state had them.
 */
function joined(stored: readonly CheckLine[], fromFrames: readonly CheckLine[]): CheckLine[] {
  const judged = stored.filter(({ purpose }) => purpose !== "coder");
  let shared = Math.min(judged.length, fromFrames.length);
  while (shared > 0 && !judged.slice(-shared).every((each, index) => isSame(each, fromFrames[index]))) shared -= 1;
  const known = new Map(judged.slice(judged.length - shared).map((each, index) => [each, fromFrames[index]]));
  // The frame has more: how many tests fail, and the candidate's change.
  const merged = stored.map((each) => ({ ...each, ...known.get(each), number: each.number }));
  return [...merged, ...fromFrames.slice(shared)];
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
