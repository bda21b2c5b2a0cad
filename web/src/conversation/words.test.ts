import { describe, expect, it } from "vitest";

import { duration, plural } from "./amounts";
import { cutText } from "./cutting";
import { message, toolCall, toolResult, turn } from "./fixtures";
import { linkKind } from "./links";
import { lookOf, sentinelDetail } from "./sentinels";
import { setSampleWords } from "../state/wordSamples";
import { lookupWords, mainArgument } from "./tools";
import type { Waiting } from "../state/chat";
import {
  askTitle,
  groupWords,
  markOf,
  outcomeOf,
  pendingWords,
  repairWords,
  statusWords,
  turnEndWords,
  waitingWords,
} from "./words";

setSampleWords();

describe("durations and counts", () => {
  it.each([
    [0, "0.0 s"],
    [412, "0.4 s"],
    [9_960, "10 s"],
    [59_600, "1 min"],
    [185_000, "3 min 5 s"],
    [7_800_000, "2 h 10 min"],
  ])("%d ms is %s", (ms, words) => {
    expect(duration(ms)).toBe(words);
  });

  it("speaks of one and of many", () => {
    expect([plural(1, "file"), plural(1200, "file")]).toEqual(["1 file", "1,200 files"]);
  });
});

describe("commands and pending edits", () => {
  it.each([
    [0, 0, ""],
    [1, 0, "ran with your pending edit"],
    [2, 0, "ran with your 2 pending edits"],
    [0, 1, "did not see your pending edit"],
    [0, 3, "did not see your 3 pending edits"],
  ])("%d seen and %d not seen: %s", (seen, unseen, words) => {
    expect(pendingWords(seen, unseen)).toBe(words);
  });
});

describe("waiting", () => {
  const since = 1_000_000;
  const read = { type: "prompt_progress", message_id: "m1", processed: 1200, total: 3500, seconds_left: 40.4 } as const;
  const at = (given: Partial<Waiting>): Waiting => ({ messageId: "m1", since, read: null, written: null, ...given });
  it.each([
    ["Waiting for the model…", null, 0, "Waiting for the model…"],
    ["", at({ since: since + 9_900, written: { chars: 480, since } }), 10_000, "Writing for 10 s, about 12 tokens a second"],
    ["", at({ since: since + 9_900, written: { chars: 60, since } }), 10_000, "Writing for 10 s, about 1.5 tokens a second"],
    ["Waiting for the model…", at({}), 12_400, "Waiting for the model… 12 s"],
    ["Working…", at({}), 125_000, "Working… 2 min 5 s"],
    ["Working…", at({ read }), 12_000, "Reading the prompt, 34 %, 1,200 of 3,500 tokens, about 40 s left · 12 s"],
    ["Working…", at({ read: { ...read, seconds_left: null } }), 0, "Reading the prompt, 34 %, 1,200 of 3,500 tokens · 0 s"],
    ["", at({}), 1_900, ""],
    ["", at({}), 5_000, "No output for 5 s"],
  ])("%s %o after %d ms", (doing, waiting, passed, words) => {
    expect(waitingWords(doing, waiting, since + passed)).toBe(words);
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
    expect(lookupWords(calls)).toBe("Read 2 files, searched twice, listed 1 folder, inspected the project");
  });
});

describe("a group of calls", () => {
  const read = (path: string) => toolCall(path, "view_file", { path });
  const ok = (call: ReturnType<typeof read>) => ({ call, result: toolResult(call.call_id) });
  const failed = (call: ReturnType<typeof read>, failure: "exec_error" | "permission_denied" = "exec_error") => ({
    call,
    result: toolResult(call.call_id, { failure }),
  });
  const open = (call: ReturnType<typeof read>) => ({ call, result: null });
  const files = (count: number, name: string) => Array.from({ length: count }, (_, n) => read(`${name}${String(n)}.py`));
  const search = toolCall("s", "grep", { pattern: "x" });

  it.each([
    ["all came back", [ok(read("a.py")), ok(read("b.py"))], false, "Read 2 files", "done"],
    ["most failed", [...files(9, "a").map(ok), ...files(24, "b").map((each) => failed(each))], false, "Read 9 files", "24 failed"],
    ["one file failed, then was read", [failed(read("a.py")), ok(read("a.py"))], false, "Read 1 file", "1 failed"],
    ["one file under two spellings", [ok(read("a.py")), ok(read("./a.py"))], false, "Read 1 file", "done"],
    ["a search that failed", [ok(read("a.py")), failed(search)], false, "Read 1 file", "1 failed"],
    ["an outline of a file is not reading it", [ok(toolCall("o", "get_file_analysis", { path: "a.py" })), ok(search)], false, "Searched twice", "done"],
    ["all failed", [failed(read("a.py")), failed(search)], false, "2 calls", "2 failed"],
    ["not allowed is not failed", [ok(search), failed(read("a.py")), failed(read(".env"), "permission_denied")], false, "Searched once", "1 failed, 1 not allowed"],
    ["some still run", [ok(read("a.py")), open(read("b.py"))], true, "Read 1 file", "running"],
    ["some still run and one failed", [failed(read("a.py")), open(read("b.py"))], true, "2 calls", "running, 1 failed"],
    ["the turn ended before one came back", [ok(read("a.py")), open(read("b.py"))], false, "Read 1 file", "1 without a result"],
    ["a folder listed twice", [ok(toolCall("1", "list_dir")), ok(toolCall("2", "list_dir", { path: "." }))], false, "Listed 1 folder", "done"],
  ])("%s", (_, calls, live, heading, outcome) => {
    const words = groupWords(calls, live);
    expect([words.heading, words.words]).toEqual([heading, outcome]);
  });
});

describe("outcomeOf", () => {
  const call = toolCall("a", "run_command", { command: "make" });

  it.each([
    ["running", outcomeOf({ call, result: null }, true)],
    ["waiting for you", outcomeOf({ call, result: null }, true, true)],
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

  it("tells the share of the prompt that was cached", () => {
    const usage = { prompt_tokens: 1200, completion_tokens: 5, cached_tokens: 1000 };
    expect(turnEndWords(turn({ steps: 1, usage }))).toContain("1,200 tokens in (83 % cached), 5 out");
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
    expect(markOf(stopped, undefined)).toBe("Stopped early: Stopped by you.");
  });

  it("marks messages that are not whole", () => {
    const failed = message({ status: "failed", metadata: turn({ explanation: "" }) });
    const synthesis = message({ status: "failed", metadata: turn({ explanation: "", parent_message_id: "m" }) });
    const whole = message({ metadata: turn({ explanation: "Written from grep and 3 files.", parent_message_id: "m" }) });
    expect(markOf(failed, undefined)).toBe("Failed");
    expect(markOf(whole, undefined)).toBe("");
    expect(markOf(synthesis, undefined)).toMatch(/^The synthesis failed/);
  });
});

describe("statusWords", () => {
  it.each([
    ["A question is waiting for you.", message({ status: "streaming" }), true, 1],
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
    expect(lookOf({ ...given, escalated: false }).tone).toBe("detour");
    expect(lookOf({ ...given, escalated: true }).tone).toBe("stop");
    expect(sentinelDetail({ ...given, escalated: true })).toBe("3 calls in a row: failed, no such tool.");
  });

  it("shows a kind that it does not know by its sentence alone", () => {
    const unknown: unknown = JSON.parse('{"kind": "of_tomorrow"}');
    expect(lookOf(unknown as Parameters<typeof lookOf>[0])).toEqual({ tone: "note", icon: "info", label: "", label_if_continued: "" });
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

describe("askTitle", () => {
  it.each([
    [{ is_command: true, removes: false }, "Run this command?"],
    [{ is_command: true, removes: true }, "Run this command? It deletes or overwrites files."],
    [{ is_command: false, removes: false }, "Let the agent do this?"],
  ])("of %j", (ask, title) => {
    expect(askTitle(ask)).toBe(title);
  });
});
