import { describe, expect, it } from "vitest";

import { sentinel, stepStart, toolCall, toolResult, words } from "./fixtures";
import type { Part } from "./messages";
import { isQuiet, type Item, partsToSteps, stepsToItems, weave } from "./steps";

describe("partsToSteps", () => {
  it("puts what was read before the first step into step 0", () => {
    const steps = partsToSteps([toolCall("a", "view_file"), toolResult("a"), stepStart(1), words("Hello")]);
    expect(steps.map(({ step, items }) => [step, items.map(({ kind }) => kind)])).toEqual([
      [0, ["call"]],
      [1, ["text"]],
    ]);
  });

  it("gives each of several calls its own result, whatever came back first", () => {
    const calls = callsOf([stepStart(1), toolCall("a", "x"), toolCall("b", "y"), toolResult("b"), toolResult("a")]);
    expect(calls.map(({ call, result }) => [call.call_id, result?.call_id])).toEqual([
      ["a", "a"],
      ["b", "b"],
    ]);
  });

  it("gives a result to the latest call where an id is used twice", () => {
    const first = toolResult("a", { content: "first" });
    const second = toolResult("a", { content: "second" });
    const parts = [stepStart(1), toolCall("a", "x"), first, stepStart(2), toolCall("a", "x"), second];
    expect(callsOf(parts).map(({ result }) => result?.content)).toEqual(["first", "second"]);
  });

  it("leaves out text that is only white space", () => {
    expect(itemsOf([stepStart(1), words("\n\n"), toolCall("a", "x")]).map(({ kind }) => kind)).toEqual(["call"]);
  });

  it("keeps a result without a call from being lost among others", () => {
    expect(itemsOf([stepStart(1), toolResult("nobody's"), words("Text")]).map(({ kind }) => kind)).toEqual(["text"]);
  });
});

describe("stepsToItems", () => {
  const twoReads = [stepStart(1), toolCall("a", "view_file"), toolResult("a"), stepStart(2), toolCall("b", "grep")];

  it("groups calls that only look, over the bounds of steps", () => {
    expect(shapes(itemsOf(twoReads))).toEqual(["looking 2"]);
  });

  it("leaves a single one as it is", () => {
    expect(shapes(itemsOf(twoReads.slice(0, 3)))).toEqual(["call view_file"]);
  });

  it("does not group over text, thought or another kind of call", () => {
    const more = [words("So"), toolCall("c", "view_file"), toolCall("d", "edit_file"), toolCall("e", "grep")];
    const shown = ["looking 2", "text", "call view_file", "call edit_file", "call grep"];
    expect(shapes(itemsOf([...twoReads, ...more]))).toEqual(shown);
  });

  it("does not group over a step after which something else is shown", () => {
    expect(shapes(stepsToItems(partsToSteps(twoReads), new Set([1])))).toEqual(["call view_file", "call grep"]);
  });

  it("marks the last words of a turn that was stopped", () => {
    const parts = [...twoReads, stepStart(3, true), words("Found")];
    expect(shapes(itemsOf(parts))).toEqual(["looking 2", "wrap_up", "text"]);
  });

  it("says where a text was made from before the text", () => {
    const parts: Part[] = [words("Answer"), { kind: "synthesis", tool: "get_codebase_overview", files: ["a.py"] }];
    expect(shapes(itemsOf(parts))).toEqual(["synthesis", "text"]);
  });

  it("keeps an item's key while the turn grows", () => {
    const keys = (parts: Part[]) => itemsOf(parts).map(({ key }) => key);
    expect(keys([...twoReads, words("More")])[0]).toBe(keys(twoReads)[0]);
  });
});

describe("weave", () => {
  const items = itemsOf([stepStart(1), words("One"), stepStart(2), words("Two"), stepStart(3), words("Three")]);
  const nudge = (step: number) =>
    sentinel({ kind: "mistake_recovery", failure_kinds: ["exec_error"], count: 3, escalated: false }, step);

  it("shows a sentinel after the step in which it was raised", () => {
    const woven = weave(items, [nudge(2)]).map((each) => ("item" in each ? each.item.step : "sentinel"));
    expect(woven).toEqual([1, 2, "sentinel", 3]);
  });

  it("shows one that was raised last at the end, and loses none", () => {
    const woven = weave(items, [nudge(9), nudge(0)]).map((each) => ("item" in each ? each.item.step : "sentinel"));
    expect(woven).toEqual(["sentinel", 1, 2, 3, "sentinel"]);
  });
});

describe("isQuiet", () => {
  it.each([
    ["before anything came", [], true],
    ["while text comes", [stepStart(1), words("A")], false],
    ["while a call runs", [stepStart(1), toolCall("a", "x")], false],
    ["once all calls are back", [stepStart(1), toolCall("a", "x"), toolResult("a")], true],
    ["while one of several reads runs", [toolCall("a", "grep"), toolCall("b", "grep"), toolResult("b")], false],
  ] as [string, Part[], boolean][])("%s", (_, parts, quiet) => {
    expect(isQuiet(itemsOf(parts))).toBe(quiet);
  });
});

function itemsOf(parts: Part[]): Item[] {
  return stepsToItems(partsToSteps(parts));
}

function callsOf(parts: Part[]) {
  return itemsOf(parts).flatMap((item) => (item.kind === "call" ? [item.call] : []));
}

function shapes(items: Item[]): string[] {
  return items.map((item) => {
    if (item.kind === "call") return `call ${item.call.call.name}`;
    return item.kind === "looking" ? `looking ${String(item.calls.length)}` : item.kind;
  });
}
