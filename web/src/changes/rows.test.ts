import { describe, expect, it } from "vitest";

import type { SchemaDiffLine as DiffLine, SchemaHunk as Hunk } from "../api/schema";
import { BLOCK, type Row, type SplitRow, blocksOf, contextFor, hunkCount, inline, rowsOf, sideBySide, withBars } from "./rows";

/** A file of numbered lines in which some are changed, with this much context, as the server sends it. */
function hunksOf(length: number, changed: readonly number[], context: number): Hunk[] {
  const isNear = (number: number) => changed.some((each) => Math.abs(each - number) <= context);
  const hunks: { lines: DiffLine[] }[] = [];
  for (let number = 1; number <= length; number += 1) {
    if (!isNear(number)) continue;
    if (number === 1 || !isNear(number - 1)) hunks.push({ lines: [] });
    const lines = hunks.at(-1)?.lines;
    if (!changed.includes(number)) lines?.push({ mark: " ", old: number, new: number, text: `line ${String(number)}` });
    else {
      lines?.push({ mark: "-", old: number, new: null, text: `old ${String(number)}` });
      lines?.push({ mark: "+", old: null, new: number, text: `new ${String(number)}` });
    }
  }
  return hunks;
}

function drawn(rows: readonly Row[]): string {
  return rows
    .map((row) => {
      if (row.kind === "gap") return `(${String(row.gap)}: ${row.hidden === null ? "?" : String(row.hidden)})`;
      return `${row.line.mark.trim()}${String(row.line.new ?? row.line.old)}`;
    })
    .join(" ");
}

describe("rowsOf", () => {
  it.each([
    [
      "the start, the middle and the end",
      60,
      [10, 40],
      "(0: 6) 7 8 9 -10 +10 11 12 13 (1: 23) 37 38 39 -40 +40 41 42 43 (2: ?)",
    ],
    ["nothing in a short file", 5, [3], "1 2 -3 +3 4 5"],
    ["what may follow the last lines", 6, [3], "1 2 -3 +3 4 5 6 (1: ?)"],
    ["only what lies between changes", 12, [1, 12], "-1 +1 2 3 4 (1: 4) 9 10 11 -12 +12"],
  ])("folds %s", (_, length, changed, expected) => {
    expect(drawn(rowsOf(hunksOf(length, changed, 3), 3, {}))).toBe(expected);
  });

  it("opens one gap and leaves the others folded", () => {
    const opened = { 1: 5 };
    const hunks = hunksOf(60, [10, 40], contextFor(opened));
    expect(drawn(rowsOf(hunks, contextFor(opened), opened))).toBe(
      "(0: 6) 7 8 9 -10 +10 11 12 13 14 15 16 17 18 (1: 13) 32 33 34 35 36 37 38 39 -40 +40 41 42 43 (2: ?)",
    );
  });

  it("shows no gap where it was opened to its end", () => {
    const opened = { 0: 20, 1: 20, 2: 20 };
    const rows = rowsOf(hunksOf(60, [10, 40], 23), 23, opened);
    expect(rows.some((row) => row.kind === "gap")).toBe(false);
    expect(rows).toHaveLength(62);
  });

  it("has no gap in a new file", () => {
    const lines: DiffLine[] = [1, 2, 3].map((number) => ({ mark: "+", old: null, new: number, text: "" }));
    expect(drawn(rowsOf([{ lines }], 3, {}))).toBe("+1 +2 +3");
  });

  it("counts hidden lines rightly behind lines that only came or went", () => {
    const lines = (marks: string, old: number, now: number): DiffLine[] => {
      let [before, after] = [old, now];
      return Array.from(marks, (mark) => ({
        mark: mark as DiffLine["mark"],
        old: mark === "+" ? null : before++,
        new: mark === "-" ? null : after++,
        text: "",
      }));
    };
    const hunks = [{ lines: lines("   +++   ", 4, 4) }, { lines: lines("   ---", 30, 33) }];
    expect(drawn(rowsOf(hunks, 3, {}))).toBe("(0: 3) 4 5 6 +7 +8 +9 10 11 12 (1: 20) 33 34 35 -33 -34 -35");
  });

  it("is empty where no line changed", () => {
    expect(rowsOf([], 3, {})).toEqual([]);
  });
});

const line = (mark: DiffLine["mark"], text: string): DiffLine => ({
  mark,
  old: mark === "+" ? null : 1,
  new: mark === "-" ? null : 1,
  text,
});
const asRows = (...lines: DiffLine[]): Row[] => lines.map((each) => ({ kind: "line", line: each }));

describe("sideBySide", () => {
  const pairs = (rows: readonly SplitRow[]) =>
    rows.map((row) => (row.kind === "pair" ? [row.left?.text ?? null, row.right?.text ?? null] : "gap"));

  it("puts lines next to the ones they replaced", () => {
    const rows = asRows(line(" ", "same"), line("-", "a"), line("-", "b"), line("+", "c"), line(" ", "end"));
    expect(pairs(sideBySide(rows))).toEqual([["same", "same"], ["a", "c"], ["b", null], ["end", "end"]]);
  });

  it("leaves the left empty for lines that only came", () => {
    expect(pairs(sideBySide(asRows(line("+", "a"), line("+", "b"))))).toEqual([[null, "a"], [null, "b"]]);
  });

  it("keeps gaps, and pairs nothing across them", () => {
    const rows: Row[] = [...asRows(line("-", "a")), { kind: "gap", gap: 1, hidden: 4 }, ...asRows(line("+", "b"))];
    expect(pairs(sideBySide(rows))).toEqual([["a", null], "gap", [null, "b"]]);
  });
});

describe("a diff of thousands of lines", () => {
  const old = Array.from({ length: 2500 }, (_, number) => line("-", `a${String(number)}`));
  const now = Array.from({ length: 2500 }, (_, number) => line("+", `b${String(number)}`));
  const rows = asRows(...old, ...now);

  it("is paired before it is cut: the first lines of both sides are next to each other", () => {
    const [first] = blocksOf(sideBySide(rows));
    expect(first?.rows[0]).toMatchObject({ left: { text: "a0" }, right: { text: "b0" } });
    expect(first?.rows.at(-1)).toMatchObject({ left: { text: "a49" }, right: { text: "b49" } });
  });

  it("is drawn in blocks that together are all of it", () => {
    const blocks = blocksOf(inline(rows));
    expect(blocks.length).toBe(5000 / BLOCK);
    expect(blocks.flatMap((block) => block.rows).length).toBe(5000);
  });

  it("knows the counterpart of a line that is drawn far away from it", () => {
    expect(inline(rows)[0]).toMatchObject({ line: { text: "a0" }, other: { text: "b0" } });
    expect(inline(rows)[2500]).toMatchObject({ line: { text: "b0" }, other: { text: "a0" } });
  });
});

describe("hunks", () => {
  const of = (hunk: number, each: DiffLine): DiffLine => ({ ...each, hunk });
  const lines = [
    ...[1, 2, 3, 4].map((number) => line(" ", `same ${String(number)}`)),
    of(0, line("-", "a")),
    of(0, line("+", "b")),
    ...[5, 6].map((number) => line(" ", `same ${String(number)}`)),
    of(1, line("+", "c")),
  ];

  it("each begin with a bar that says what is in them", () => {
    const shown = withBars(inline(asRows(...lines)));
    expect(shown.map((row) => (row.kind === "bar" ? [row.hunk, row.added, row.removed] : row.kind)).join(" | ")).toBe(
      "line | 0,1,1 | line | line | line | line | line | 1,1,0 | line | line | line",
    );
    expect(hunkCount([{ lines }])).toBe(2);
  });

  it("have bars that are drawn wherever they stand", () => {
    const blocks = blocksOf(withBars(inline(asRows(...lines))));
    expect(blocks.map(({ always, rows }) => (always ? "bar" : rows.length))).toEqual([1, "bar", 5, "bar", 3]);
  });
});
