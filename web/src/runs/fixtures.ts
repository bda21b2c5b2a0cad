/** A run and its frames, for tests. */
import type { SchemaCommandRun as CommandRun } from "../api/schema";
import type { Envelope, Frame, RunDetail } from "../api/types";

type State = RunDetail["run"]["state"];

export function detailOf(state: Partial<State> = {}, running = true): RunDetail {
  return {
    run: {
      id: "run",
      project_id: "project",
      running,
      here: running,
      attempts: 0,
      updated_at: 0,
      state: {
        id: "run",
        project: "/project",
        goal: "fix the totals",
        goal_texts: [],
        goal_images: [],
        profile: "fast",
        agency: "agent",
        model: "small",
        commands: [],
        time_limit: 300,
        started_at: 0,
        node: "baseline",
        attempt: 0,
        baseline: [],
        current_checks: [],
        history: { attempts: 0, entries: [] },
        summary: "",
        attempts_made: [],
        hanging: [],
        restored_files: [],
        tried: [],
        files: [],
        spent: {
          commands: 0,
          tests: 0,
          steps: 0,
          checks: 0,
          check_seconds: 0,
          model_calls: 0,
          usage: { prompt_tokens: 0, completion_tokens: 0, cached_tokens: 0 },
        },
        runs: [],
        done: false,
        explanation: "",
        ...state,
      },
    },
    live: [],
    seq: 0,
    asks: [],
    report: null,
    advice: [],
    begin_with: "",
    chats: [],
    limits: { checks: 800, check_seconds: 1800, profiles: [] },
    pending: 0,
  };
}

/** Numbered frames. */
export function numbered(...frames: Frame[]): Envelope[] {
  return frames.map((frame, index) => ({ seq: index + 1, project_id: "project", run_id: "run", chat_id: null, frame }));
}

type Purpose = CommandRun["purpose"];

export const node = (name: State["node"], attempt = 0, attempts = 0): Frame => ({
  type: "run_node",
  run_id: "run",
  node: name,
  attempt,
  attempts,
});

export const checkStart = (command: string, purpose: Purpose = "verify", note = ""): Frame => ({
  type: "run_check_start",
  run_id: "run",
  purpose,
  command,
  note,
});

export const check = (command: string, passed: boolean, seconds: number, purpose: Purpose = "verify"): Frame => ({
  type: "run_check",
  run_id: "run",
  purpose,
  command,
  exit_code: passed ? 0 : 1,
  timed_out: false,
  seconds,
  passed,
  kind: passed ? null : "test_failure",
  summary: passed ? "" : "test_total fails",
  failing: passed ? null : 2,
  note: "",
});

export function stored(
  number: number,
  command: string,
  passed: boolean,
  seconds: number,
  purpose: Purpose = "verify",
): CommandRun {
  return {
    number,
    attempt: 1,
    purpose,
    command,
    exit_code: passed ? 0 : 1,
    timed_out: false,
    seconds,
    passed,
    kind: passed ? null : "test_failure",
    summary: "",
    stdout: "",
    stderr: "",
    log: "",
  };
}
