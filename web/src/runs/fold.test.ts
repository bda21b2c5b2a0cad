import { describe, expect, it } from "vitest";

import type { Envelope, Frame, RunDetail } from "../api/types";
import { check, checkStart, detailOf, node, numbered, stored } from "./fixtures";
import { candidatesOf, foldRun } from "./fold";

/** Commands with their duration: `…` while they run. */
function drawn(detail: RunDetail, envelopes: readonly Envelope[]): string[] {
  const { checks } = foldRun(detail, envelopes);
  return checks.map(({ command, ended }) => `${command} ${ended ? String(ended.seconds) : "…"}`);
}

const plan: Frame = {
  type: "run_plan",
  run_id: "run",
  plan: { next: "coder", plan: [{ step: "fix", failure: "test_total" }], reason: "too many", by_mulligan: false },
};
const attemptEnd: Frame = { type: "run_attempt_end", run_id: "run", attempt: 1, kept: false, summary: "2 tests fail" };
const end: Frame = {
  type: "run_end",
  run_id: "run",
  verdict: "verified",
  reason: "passed",
  explanation: "All commands pass.",
  evidence: [],
  failure_history: { attempts: 1, entries: [] },
  done: true,
  files: ["totals.py"],
  pending: 1,
  applied: 0,
  report: "report.md",
  spent: detailOf().run.state.spent,
  seconds: 3,
};

describe("where a run is", () => {
  it("is built from its frames while it runs", () => {
    const frames = numbered(node("baseline"), node("planner"), plan, node("coder", 1));
    const progress = foldRun(detailOf({ node: "planner" }), frames);
    expect(progress).toMatchObject({ node: "coder", attempt: 1, attempts: 0, plan: { reason: "too many" } });
  });

  it("is built from the stored state if there are no frames", () => {
    const progress = foldRun(detailOf({ node: "verifier", attempt: 2, history: { attempts: 1, entries: [] } }), []);
    expect(progress).toMatchObject({ node: "verifier", attempt: 2, attempts: 1 });
  });

  it("is where it would go on, once it was stopped", () => {
    const detail = detailOf({ node: "coder", attempt: 1 }, false);
    const frames = numbered(node("coder", 1), checkStart("pytest", "candidate"));
    expect(foldRun(detail, frames)).toMatchObject({ node: "coder", checks: [] });
  });

  it("is done with the last frame, before anything is loaded again", () => {
    const progress = foldRun(detailOf({ node: "verifier" }), numbered(node("verifier", 1), end));
    expect(progress).toMatchObject({ node: "done", end: { verdict: "verified", reason: "passed" } });
  });

  it("is done where only the state says so", () => {
    const ended = { verdict: "failed", reason: "gave_up", explanation: "No way.", ended_at: 5 } as const;
    const progress = foldRun(detailOf({ node: "done", ...ended }, false), []);
    expect(progress).toMatchObject({ node: "done", end: { verdict: "failed", explanation: "No way." } });
  });

  it("has not ended with a verdict that is not brought back yet", () => {
    expect(foldRun(detailOf({ node: "snitch", verdict: "failed", reason: "gave_up" }), []).end).toBeNull();
  });
});

it("counts an attempt when the verifier finds the work wanting", () => {
  const frames = numbered(node("verifier", 1), attemptEnd);
  expect(foldRun(detailOf(), frames).attempts).toBe(1);
});

it("keeps the notes, in order", () => {
  const note: Frame = { type: "run_note", run_id: "run", text: "no test runner" };
  const frames = numbered({ type: "notice", text: "found a model" }, note);
  expect(foldRun(detailOf(), frames).notes).toEqual(["found a model", "no test runner"]);
});

it("says why it broke off, until it is resumed", () => {
  const broken = numbered({ type: "work_failed", error: "the disk is full" });
  expect(foldRun(detailOf({}, false), broken).broke).toBe("the disk is full");
});

describe("commands", () => {
  it("run until they have ended", () => {
    const frames = numbered(node("verifier", 1), checkStart("ruff"), check("ruff", true, 1), checkStart("pytest"));
    expect(drawn(detailOf(), frames)).toEqual(["ruff 1", "pytest …"]);
  });

  it("that the state already has are not repeated", () => {
    const detail = detailOf({ runs: [stored(1, "pytest", false, 1.235, "baseline")] });
    const frames = numbered(
      checkStart("pytest", "baseline"),
      check("pytest", false, 1.2347, "baseline"),
      checkStart("pytest"),
      check("pytest", true, 2),
    );
    expect(drawn(detail, frames)).toEqual(["pytest 1.2347", "pytest 2"]);
  });

  it("of before a resume stand before those of after", () => {
    const baseline = stored(1, "pytest", false, 1, "baseline");
    const runs = [baseline, stored(2, "pytest", false, 2), stored(3, "pytest", false, 3)];
    const frames = numbered(check("pytest", false, 3), check("pytest", true, 4));
    expect(drawn(detailOf({ runs }), frames)).toEqual(["pytest 1", "pytest 2", "pytest 3", "pytest 4"]);
  });

  it("of the coder, which have no frames, keep their position", () => {
    const runs = [
      stored(1, "pytest", false, 1, "baseline"),
      stored(2, "python a.py", false, 2, "coder"),
      stored(3, "pytest", false, 3),
    ];
    const frames = numbered(check("pytest", false, 1, "baseline"), check("pytest", false, 3), checkStart("pytest"));
    expect(drawn(detailOf({ runs }), frames)).toEqual(["pytest 1", "python a.py 2", "pytest 3", "pytest …"]);
  });

  it("say how many tests fail, if a frame has the number", () => {
    const detail = detailOf({ runs: [stored(1, "pytest", false, 1)] });
    expect(foldRun(detail, numbered(check("pytest", false, 1))).checks[0]?.ended?.failing).toBe(2);
  });

  it("are all there when nothing is shared", () => {
    expect(drawn(detailOf({ runs: [stored(1, "a", true, 1)] }), numbered(check("b", true, 2)))).toEqual(["a 1", "b 2"]);
  });
});

describe("of the commands", () => {
  const runs = [
    stored(1, "pytest", false, 1, "baseline"),
    stored(2, "candidate one", false, 1, "candidate"),
    stored(3, "candidate two", true, 1, "candidate"),
    stored(4, "python a.py", false, 1, "coder"),
    stored(5, "pytest", false, 1),
    stored(6, "ruff", true, 1),
  ];
  const { checks } = foldRun(detailOf({ runs }), []);

  it("candidates are counted", () => {
    expect(candidatesOf(checks)).toEqual({ tested: 2, passed: 1 });
  });
});
