import { describe, expect, it } from "vitest";

import { detailOf } from "./fixtures";
import { type Node, type RunProgress, foldRun } from "./fold";
import { attemptWords, attemptsOf, stageOf } from "./graph";

const ALL: readonly Node[] = ["baseline", "planner", "coder", "verifier", "done", "snitch"];

function progress(given: Partial<RunProgress>): RunProgress {
  return { ...foldRun(detailOf(), []), ...given };
}

const ended = (verdict: "verified" | "failed") => ({ verdict, reason: null, explanation: "" }) as const;

describe("stageOf", () => {
  it.each([
    ["at its start", { node: "baseline" }, true, "now ahead ahead ahead ahead ahead"],
    ["in the coder", { node: "coder", attempt: 1 }, true, "past past now ahead ahead ahead"],
    ["planning again", { node: "planner", attempt: 1, attempts: 1 }, true, "past now ahead ahead ahead ahead"],
    ["at the snitch", { node: "snitch", attempt: 3 }, true, "past past past past ahead now"],
    ["that was stopped", { node: "coder", attempt: 1 }, false, "past past ahead ahead ahead ahead"],
    ["that is verified", { attempt: 1, end: ended("verified") }, false, "past past past past now unreached"],
    ["that failed", { attempt: 3, end: ended("failed") }, false, "past past past past unreached now"],
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
