import { describe, expect, it } from "vitest";

import type { SchemaPlan as Plan } from "../api/schema";
import { detailOf } from "./fixtures";
import { type CheckLine, type Node, type RunProgress, foldRun } from "./fold";
import { attemptWords, attemptsOf, stageOf } from "./graph";

const ALL: readonly Node[] = ["baseline", "planner", "coder", "verifier", "done", "snitch"];

function progress(given: Partial<RunProgress>): RunProgress {
  return { ...foldRun(detailOf(), []), ...given };
}

const ended = (verdict: "verified" | "failed") => ({ verdict, reason: null, explanation: "" }) as const;

function check(purpose: CheckLine["purpose"], attempt: number, passed: boolean): CheckLine {
  const ended = { exit_code: Number(!passed), timed_out: false, seconds: 1, passed, kind: null, summary: "", failing: null };
  return { attempt, purpose, command: "make test", note: "", ended, number: null };
}

const REPAIRED = [check("baseline", 0, false), check("verify", 1, false), check("verify", 2, true)];
const IN_VAIN = [check("baseline", 0, false), check("verify", 1, false)];
const PLAN: Plan = { by_mulligan: false, next: "coder", plan: [], reason: "" };

describe("stageOf", () => {
  it.each([
    ["at its start", { node: "baseline" }, true, "now ahead ahead ahead ahead ahead"],
    ["in the coder", { node: "coder", attempt: 1 }, true, "past past now ahead ahead ahead"],
    ["planning again", { node: "planner", attempt: 1, attempts: 1 }, true, "past now ahead ahead ahead ahead"],
    ["at the snitch", { node: "snitch", attempt: 3 }, true, "past past past past ahead now"],
    ["that was stopped", { node: "coder", attempt: 1 }, false, "past past ahead ahead ahead ahead"],
    ["that is verified", { attempt: 2, end: ended("verified"), checks: REPAIRED }, false, "failed past past past now unreached"],
    ["that failed", { attempt: 1, end: ended("failed"), checks: IN_VAIN }, false, "failed past past failed unreached now"],
    ["that broke in the coder", { attempt: 1, plan: PLAN, end: ended("failed") }, false, "past past past unreached unreached now"],
    ["whose planner failed", { attempt: 1, end: ended("failed") }, false, "past past unreached unreached unreached now"],
    ["that ended early", { end: ended("failed") }, false, "past unreached unreached unreached unreached now"],
  ] as const)("draws a run %s", (_, given, running, expected) => {
    expect(ALL.map((node) => stageOf(node, progress(given), running)).join(" ")).toBe(expected);
  });
});

describe("attempts", () => {
  const isVerified = { attempt: 2, attempts: 1, end: ended("verified") } as const;
  const isFailed = { attempt: 3, attempts: 3, end: ended("failed") } as const;

  it.each([
    ["before the first", {}, "left left left", "No attempt yet"],
    ["in the first", { attempt: 1 }, "now left left", "Attempt 1 of 3"],
    ["between two", { attempt: 1, attempts: 1 }, "failed left left", "Attempt 1 of 3, 1 failed"],
    ["verified", isVerified, "failed passed left", "Ended in attempt 2 of 3, 1 failed"],
    ["failed", isFailed, "failed failed failed", "Ended in attempt 3 of 3, 3 failed"],
    ["never made", { end: ended("failed") }, "left left left", "No attempt was made"],
  ] as const)("%s", (_, given, marks, words) => {
    expect(attemptsOf(progress(given)).join(" ")).toBe(marks);
    expect(attemptWords(progress(given))).toBe(words);
  });
});
