import { describe, expect, it } from "vitest";

import { type Segment, changedWords } from "./words";

/** `[` and `]` around what changed. */
function marked(segments: readonly Segment[] | undefined): string {
  return (segments ?? []).map(({ text, changed }) => (changed ? `[${text}]` : text)).join("");
}

describe("changedWords", () => {
  it.each([
    ["one word", "sum(items) + 1", "sum(items) + 2", "sum(items) + [1]", "sum(items) + [2]"],
    ["words that go", "sum(items) + 1", "sum(items)", "sum(items)[ + 1]", "sum(items)"],
    ["words that come", "total(items):", "total(items, start):", "total(items):", "total(items[, start]):"],
    ["the same line", "pass", "pass", "pass", "pass"],
    ["a changed indent", "  return value", "    return value", "[  ]return value", "[    ]return value"],
    ["letters of any script", "größe = alt", "größe = neu", "größe = [alt]", "größe = [neu]"],
    ["words side by side", "keep one two end", "keep three four end", "keep [one two] end", "keep [three four] end"],
  ])("marks %s", (_, before, after, markedBefore, markedAfter) => {
    const words = changedWords(before, after);
    expect(marked(words?.before)).toBe(markedBefore);
    expect(marked(words?.after)).toBe(markedAfter);
  });

  it.each([
    ["have nothing in common", "import os", "class Totals:"],
    ["are empty on one side", "", "something new"],
    ["are far too long to compare", "a b ".repeat(1_000) + "x", "c d ".repeat(1_000) + "y"],
  ])("marks nothing in lines that %s", (_, before, after) => {
    expect(changedWords(before, after)).toBeNull();
  });

  it("loses no character", () => {
    const before = "  if (a == b) { call(x, \"y z\"); }";
    const after = "  if (a === b && c) { call(x, 'y z') }";
    const words = changedWords(before, after);
    expect(words?.before.map(({ text }) => text).join("")).toBe(before);
    expect(words?.after.map(({ text }) => text).join("")).toBe(after);
  });
});
