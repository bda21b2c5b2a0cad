/**
 * The rows of a diff: long unchanged runs are folded, and open step by step. Lines that replaced each other are paired
 * before anything is left out.
 */
import type { SchemaDiffLine as DiffLine, SchemaHunk as Hunk } from "../api/schema";

/** Unchanged lines around every change. */
export const CONTEXT = 3;
/** Lines that "show more" adds at each end of the gap. */
export const MORE = 20;
/** The server's maximum of context: the whole file. */
export const WHOLE_FILE = 100_000;

export interface Gap {
  kind: "gap";
  /** Its number: 0 is before the first change, 1 after it, and so on. */
  gap: number;
  /** Number of lines; null while the end of the file is not known. */
  hidden: number | null;
}

export interface InlineLine {
  kind: "line";
  line: DiffLine;
  /** The line that replaced it, or that it replaced. */
  other: DiffLine | null;
}

export interface Pair {
  kind: "pair";
  left: DiffLine | null;
  right: DiffLine | null;
}

/** The start of a hunk that can be settled alone. */
export interface HunkBar {
  kind: "bar";
  hunk: number;
  /** Its first changed line; in the new file if it has one there. */
  line: number;
  added: number;
  removed: number;
}

export type Row = { kind: "line"; line: DiffLine } | Gap;
export type SplitRow = Pair | Gap;
export type ShownRow = InlineLine | Pair | Gap | HunkBar;

/** By gap, how many additional lines to show. */
export type Opened = Readonly<Record<number, number>>;

/** How much context to request. */
export function contextFor(opened: Opened): number {
  return CONTEXT + Math.max(0, ...Object.values(opened));
}

/** Rows of a diff that was loaded with `context` unchanged lines around each change. */
export function rowsOf(hunks: readonly Hunk[], context: number, opened: Opened): Row[] {
  const placed = hunks.flatMap(({ lines }) => distances(lines));
  const rows: Row[] = [];
  let gap = 0;
  let inChange = false;
  let old = 0;
  let now = 0;
  let hiddenAtEnd = 0;
  for (const { line, distance } of placed) {
    const changed = line.mark !== " ";
    if (inChange && !changed) gap += 1;
    inChange = changed;
    if (context < WHOLE_FILE && distance > CONTEXT + (opened[gap] ?? 0)) {
      hiddenAtEnd += 1;
      continue;
    }
    hiddenAtEnd = 0;
    const hidden = line.new === null ? (line.old ?? 0) - old - 1 : line.new - now - 1;
    if (hidden > 0) rows.push({ kind: "gap", gap, hidden });
    old = line.old ?? old + Math.max(0, hidden);
    now = line.new ?? now + Math.max(0, hidden);
    rows.push({ kind: "line", line });
  }
  const end = placed.at(-1);
  const mayGoOn = end !== undefined && end.distance > 0 && end.distance === context;
  if (mayGoOn) rows.push({ kind: "gap", gap, hidden: null });
  else if (hiddenAtEnd > 0) rows.push({ kind: "gap", gap, hidden: hiddenAtEnd });
  return rows;
}

/** Old lines on the left, new ones on the right, with lines that replaced each other in one row. */
export function sideBySide(rows: readonly Row[]): SplitRow[] {
  return runsOf(rows).flatMap((run): SplitRow[] => {
    if (!Array.isArray(run)) return [run.kind === "gap" ? run : { kind: "pair", left: run.line, right: run.line }];
    const { removed, added } = sides(run);
    return Array.from({ length: Math.max(removed.length, added.length) }, (_, index) => ({
      kind: "pair",
      left: removed[index] ?? null,
      right: added[index] ?? null,
    }));
  });
}

/** Old lines above new lines, each with its counterpart. */
export function inline(rows: readonly Row[]): (InlineLine | Gap)[] {
  return runsOf(rows).flatMap((run): (InlineLine | Gap)[] => {
    if (!Array.isArray(run)) return [run.kind === "gap" ? run : { ...run, other: null }];
    const { removed, added } = sides(run);
    return [
      ...removed.map((line, index) => ({ kind: "line", line, other: added[index] ?? null }) as const),
      ...added.map((line, index) => ({ kind: "line", line, other: removed[index] ?? null }) as const),
    ];
  });
}

/** Rows with a header before each hunk, above the hunk's first unchanged line that is shown. */
export function withBars(rows: readonly (InlineLine | Pair | Gap)[]): ShownRow[] {
  const sums = new Map<number, HunkBar>();
  for (const line of rows.flatMap(changedIn)) {
    const hunk = line.hunk ?? 0;
    const bar = sums.get(hunk) ?? { kind: "bar", hunk, line: line.new ?? line.old ?? 1, added: 0, removed: 0 };
    const isNew = line.mark === "+";
    sums.set(hunk, { ...bar, added: bar.added + (isNew ? 1 : 0), removed: bar.removed + (isNew ? 0 : 1) });
  }
  const shown: ShownRow[] = [];
  for (const row of rows) {
    const hunk = changedIn(row)[0]?.hunk ?? null;
    const bar = hunk === null ? undefined : sums.get(hunk);
    if (bar) {
      sums.delete(bar.hunk);
      shown.splice(placeOfBar(shown), 0, bar);
    }
    shown.push(row);
  }
  return shown;
}

/** This many unchanged lines before a hunk belong to it, unless another hunk or a gap comes first. */
function placeOfBar(shown: readonly ShownRow[]): number {
  let index = shown.length;
  while (index > 0 && shown.length - index < CONTEXT) {
    const row = shown[index - 1];
    if (row === undefined || row.kind === "gap" || row.kind === "bar" || changedIn(row).length > 0) break;
    index -= 1;
  }
  return index;
}

function changedIn(row: ShownRow): DiffLine[] {
  if (row.kind === "line") return row.line.mark === " " ? [] : [row.line];
  if (row.kind !== "pair") return [];
  return [row.left, row.right].filter((line): line is DiffLine => line !== null && line.mark !== " ");
}

/** How many hunks a change has; they are numbered in order. */
export function hunkCount(hunks: readonly Hunk[]): number {
  return 1 + (hunks.at(-1)?.lines.findLast(({ hunk }) => hunk != null)?.hunk ?? -1);
}

/** Rows that are rendered together. */
export interface Block {
  /** The key of its first row. */
  first: number;
  rows: readonly ShownRow[];
  /** Headers are always rendered, so that keys find them; lines only when they come near the screen. */
  always: boolean;
}

export const BLOCK = 50;

export function blocksOf(rows: readonly ShownRow[]): Block[] {
  const blocks: { first: number; rows: ShownRow[]; always: boolean }[] = [];
  rows.forEach((row, index) => {
    const always = row.kind === "bar";
    const last = blocks.at(-1);
    if (last?.always === always && !always && last.rows.length < BLOCK) last.rows.push(row);
    else blocks.push({ first: index, rows: [row], always });
  });
  return blocks;
}

interface Placed {
  line: DiffLine;
  /** Distance to the nearest changed line of the hunk; 0 for a changed line. */
  distance: number;
}

function distances(lines: readonly DiffLine[]): Placed[] {
  const away = lines.map(() => Infinity);
  const spread = (indices: readonly number[]) => {
    let distance = Infinity;
    for (const index of indices) {
      distance = lines[index]?.mark === " " ? distance + 1 : 0;
      away[index] = Math.min(away[index] ?? Infinity, distance);
    }
  };
  const indices = lines.map((_, index) => index);
  spread(indices);
  spread(indices.toReversed());
  return lines.map((line, index) => ({ line, distance: away[index] ?? Infinity }));
}

/** Consecutive changed lines as one group; every other row alone. */
function runsOf(rows: readonly Row[]): (Row | DiffLine[])[] {
  const runs: (Row | DiffLine[])[] = [];
  for (const row of rows) {
    const last = runs.at(-1);
    if (row.kind === "gap" || row.line.mark === " ") runs.push(row);
    else if (Array.isArray(last)) last.push(row.line);
    else runs.push([row.line]);
  }
  return runs;
}

function sides(run: readonly DiffLine[]): { removed: DiffLine[]; added: DiffLine[] } {
  return { removed: run.filter(({ mark }) => mark === "-"), added: run.filter(({ mark }) => mark === "+") };
}
