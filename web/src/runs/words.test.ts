import { describe, expect, it } from "vitest";

import { setSampleWords } from "../state/wordSamples";
import { allowance, commandsIn, endWords, exitWords, outcomeWords } from "./words";

setSampleWords();

describe("allowance", () => {
  const fast = { name: "fast", commands: 8, tests: 3, installs: false, app_runs: true, coder_steps: 12 } as const;
  it.each([
    [{}, "12 steps, 8 commands, 3 runs of tests. It may run the program; it may not install packages."],
    [{ installs: true }, "12 steps, 8 commands, 3 runs of tests. It may install packages and run the program."],
    [{ app_runs: false, tests: 1 }, "12 steps, 8 commands, 1 run of tests. It may not install packages or run the program."],
  ] as const)("says what a profile allows: %o", (other, words) => {
    expect(allowance({ ...fast, ...other })).toBe(words);
  });
});

describe("outcomeWords", () => {
  it.each([
    [{ passed: true, kind: null, failing: null }, "passed"],
    [{ passed: false, kind: "test_failure", failing: 1 }, "1 test fails"],
    [{ passed: false, kind: "test_failure", failing: 3 }, "3 tests fail"],
    [{ passed: false, kind: "test_failure", failing: null }, "tests fail"],
    [{ passed: false, kind: "tooling_error", failing: 1 }, "the command could not run"],
    [{ passed: false, kind: null, failing: null }, "failed"],
  ] as const)("of %o is %s", (end, words) => {
    expect(outcomeWords(end)).toBe(words);
  });
});

describe("exitWords", () => {
  it.each([
    [{ exit_code: 2, timed_out: false }, "exit code 2"],
    [{ exit_code: -9, timed_out: false }, "ended by signal 9"],
    [{ exit_code: null, timed_out: true }, "stopped at its time limit"],
  ])("of %o is %s", (end, words) => {
    expect(exitWords(end)).toBe(words);
  });
});

describe("endWords", () => {
  it.each([
    ["passed", "", ["The project’s own commands pass."]],
    ["passed", "2 tests pass now.", ["The project’s own commands pass.", "2 tests pass now."]],
    ["nothing_changed", "Nothing was changed; all pass as they did.", ["Nothing was changed; all pass as they did."]],
    [null, "It broke.", ["It broke."]],
  ] as const)("of %s, %s", (reason, explanation, words) => {
    expect(endWords({ reason, explanation })).toEqual(words);
  });
});

it("takes one command a line", () => {
  expect(commandsIn("  pytest -q\n\n ruff check .  \n")).toEqual(["pytest -q", "ruff check ."]);
});
