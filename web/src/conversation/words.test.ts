import { describe, expect, it } from "vitest";

import { duration, plural } from "./amounts";
import { cutText } from "./cutting";
import { message, toolCall, toolResult, turn } from "./fixtures";
import { linkKind } from "./links";
import { lookOf, sentinelDetail } from "./sentinels";
import { lookingWords, mainArgument } from "./tools";
import { markOf, outcomeOf, repairWords, statusWords, turnEndWords } from "./words";

describe("durations and counts", () => {
  it.each([
    [0, "0.0 s"],
    [412, "0.4 s"],
    [9_960, "10 s"],
    [59_600, "1 min"],
    [185_000, "3 min 5 s"],
    [7_800_000, "2 h 10 min"],
  ])("%d ms is %s", (ms, said) => {
    expect(duration(ms)).toBe(said);
  });

  it("speaks of one and of many", () => {
    expect([plural(1, "file"), plural(1200, "file")]).toEqual(["1 file", "1,200 files"]);
  });
});

describe("tools", () => {
  it.each([
    ["view_file", { path: "a.py" }, "a.py"],
    ["view_file", { path: "a.py", start_line: 10, end_line: 20 }, "a.py:10–20"],
    ["view_file", { path: "a.py", end_line: 20 }, "a.py:1–20"],
    ["grep", { pattern: "def x", path: "src" }, "def x in src"],
    ["grep", { pattern: "def x", path: "." }, "def x"],
    ["run_command", { command: "make\nmake test" }, "make …"],
    ["search_symbols", { query: "Turn" }, "Turn"],
    ["something else", { depth: 3 }, "3"],
    ["get_codebase_overview", {}, ""],
    ["nested", { edits: [{ old: "a" }] }, ""],
  ])("%s %j is about %j", (name, given, about) => {
    expect(mainArgument(name, given)).toBe(about);
  });

  it("counts a file once, in how many pieces it may be read", () => {
    const calls = [
      { name: "view_file", arguments: { path: "a.py" } },
      { name: "view_file", arguments: { path: "a.py", start_line: 200 } },
      { name: "view_file", arguments: { path: "b.py" } },
      { name: "grep", arguments: { pattern: "x" } },
      { name: "find_files", arguments: { pattern: "x" } },
      { name: "list_dir", arguments: {} },
      { name: "get_codebase_overview", arguments: {} },
    ];
    expect(lookingWords(calls)).toBe("Read 2 files, searched twice, listed 1 folder, surveyed the project");
  });
});

describe("outcomeOf", () => {
  const call = toolCall("a", "run_command", { command: "make" });

  it.each([
    ["running", outcomeOf({ call, result: null }, true)],
    ["no result", outcomeOf({ call, result: null }, false)],
    ["done", outcomeOf({ call, result: toolResult("a") }, false)],
    ["exit code 2", outcomeOf({ call, result: failed("exec_error", "exit code 2 (0.1 s)\nboom") }, false)],
    ["failed", outcomeOf({ call, result: failed("exec_error", "stopped: it ran too long") }, false)],
    ["not allowed", outcomeOf({ call, result: failed("permission_denied", "The command was not run.") }, false)],
    ["arguments refused", outcomeOf({ call, result: failed("schema_reject", "exit code 1") }, false)],
  ])("%s", (words, outcome) => {
    expect(outcome.words).toBe(words);
  });

  function failed(failure: "exec_error" | "permission_denied" | "schema_reject", content: string) {
    return toolResult("a", { failure, content });
  }
});

describe("the end of a turn", () => {
  it("says how it ended and what it took", () => {
    const usage = { prompt_tokens: 12_304, completion_tokens: 512, cached_tokens: 0 };
    const repairs = { trailing_comma: 2, single_quotes: 1 };
    expect(turnEndWords(turn({ steps: 4, usage, repairs, duration_ms: 14_000 }))).toEqual([
      "Answered",
      "4 steps",
      "12,304 tokens in, 512 out",
      "14 s",
      "3 repairs: trailing comma ×2, single quotes",
    ]);
  });

  it("leaves out what is not known", () => {
    expect(turnEndWords(turn({ stop_reason: null, steps: 0 }))).toEqual([]);
  });

  it("explains what is not plain, once", () => {
    const unapplied = "The model answered. But its last edit of a.py was refused: that is not done.";
    const stopped = message({ status: "cancelled", metadata: turn({ explanation: "Stopped by you." }) });
    expect(markOf(message({}), undefined)).toBe("");
    expect(markOf(message({ metadata: turn({ agent: "ada", explanation: "ada answered." }) }), undefined)).toBe("");
    expect(markOf(message({ metadata: turn({ explanation: unapplied }) }), undefined)).toBe(unapplied);
    expect(markOf(stopped, "Stopped by you.")).toBe("");
    expect(markOf(stopped, undefined)).toBe("Stopped before its end: Stopped by you.");
  });

  it("marks messages that are not whole", () => {
    const failed = message({ status: "failed", metadata: turn({ explanation: "" }) });
    const beside = message({ status: "failed", metadata: turn({ explanation: "", beside: "m" }) });
    const whole = message({ metadata: turn({ explanation: "Written from grep and 3 files.", beside: "m" }) });
    expect(markOf(failed, undefined)).toBe("Failed");
    expect(markOf(whole, undefined)).toBe("");
    expect(markOf(beside, undefined)).toMatch(/^The synthesis came to nothing/);
  });
});

describe("statusWords", () => {
  it.each([
    ["A question waits for you.", message({ status: "streaming" }), true, 1],
    ["Answering.", message({ status: "streaming" }), true, 0],
    ["Answered.", message({}), false, 0],
    ["", undefined, false, 0],
  ])("%j", (words, last, busy, asks) => {
    expect(statusWords(last, busy, asks)).toBe(words);
  });
});

describe("sentinels", () => {
  it("tells guidance from a stop", () => {
    const kinds = ["exec_error", "exec_error", "tool_not_found"];
    const given = { kind: "mistake_recovery" as const, failure_kinds: kinds, count: 3 };
    expect(lookOf({ ...given, escalated: false }).tone).toBe("bend");
    expect(lookOf({ ...given, escalated: true }).tone).toBe("stop");
    expect(sentinelDetail({ ...given, escalated: true })).toBe("3 calls in a row: failed, no such tool.");
  });

  it("shows a kind that it does not know by its sentence alone", () => {
    const unknown: unknown = JSON.parse('{"kind": "of_tomorrow"}');
    expect(lookOf(unknown as Parameters<typeof lookOf>[0])).toEqual({ tone: "note", icon: "info", label: "" });
  });
});

describe("cutText", () => {
  const limits = { lines: 4, characters: 40 };

  it.each([
    ["a short text whole", "a\nb", null],
    ["whole what is a line too long", "a\nb\nc\nd\ne", null],
    ["how many lines are left", "a\nb\nc\nd\ne\nf\ng", "3 more lines"],
    ["how many characters are left of a long line", "x".repeat(100), "60 more characters"],
  ])("shows %s", (_, text, rest) => {
    expect(cutText(text, limits).rest).toBe(rest);
  });
});

describe("small words", () => {
  it("names each repair once", () => {
    expect(repairWords(["trailing_comma", "enum_case", "trailing_comma"])).toBe("trailing comma, enum case");
  });

  it.each([
    ["https://example.org", "elsewhere"],
    ["mailto:a@example.org", "elsewhere"],
    ["#note-1", "within"],
    ["src/app.py", "nowhere"],
    ["//example.org", "nowhere"],
    ["javascript:alert(1)", "nowhere"],
    [undefined, "nowhere"],
  ])("%s leads %s", (address, kind) => {
    expect(linkKind(address)).toBe(kind);
  });
});
