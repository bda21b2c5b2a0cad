/** What of a diff is shown, row by row: long unchanged stretches are folded, and can be opened piece by piece. */
import type { SchemaDiffLine as DiffLine, SchemaHunk as Hunk } from "../api/schema";
import { type Segment, changedWords } from "./words";

/** Unchanged lines around every change. */
export const CONTEXT = 3;
/** Lines that a press of "show more" adds, at each end of the gap. */
export const MORE = 20;

export interface Gap {
  kind: "gap";
  /** Which one: 0 is before the first change, 1 after it, and so on. */
  gap: number;
  /** Lines; null where the end of the file is not known yet. */
  hidden: number | null;
}

export type Row = { kind: "line"; line: DiffLine } | Gap;
export type SplitRow = { kind: "pair"; left: DiffLine | null; right: DiffLine | null } | Gap;

/** By gap, how many lines more than usual the person wants to see. */
export type Opened = Readonly<Record<number, number>>;

/** How much context has to be asked for. */
export function contextFor(opened: Opened): number {
  return CONTEXT + Math.max(0, ...Object.values(opened));
}

/** Rows of a diff that was given with `context` unchanged lines around each change. */
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
    if (distance > CONTEXT + (opened[gap] ?? 0)) {
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

/** Old lines to the left, new ones to the right, and those that took each other's place beside each other. */
export function sideBySide(rows: readonly Row[]): SplitRow[] {
  return runsOf(rows).flatMap((run): SplitRow[] => {
    if (!Array.isArray(run)) return [run.kind === "gap" ? run : { kind: "pair", left: run.line, right: run.line }];
    const { removed, added } = sides(run);
    return Array.from({ length: Math.max(removed.length, added.length) }, (_, place) => ({
      kind: "pair",
      left: removed[place] ?? null,
      right: added[place] ?? null,
    }));
  });
}

/** The segments of lines that took each other's place. Lines that are not in it changed as a whole, or not at all. */
export function markWords(rows: readonly Row[]): ReadonlyMap<DiffLine, readonly Segment[]> {
  const marked = new Map<DiffLine, readonly Segment[]>();
  for (const run of runsOf(rows)) {
    if (!Array.isArray(run)) continue;
    const { removed, added } = sides(run);
    removed.forEach((before, place) => {
      const after = added[place];
      const words = after && changedWords(before.text, after.text);
      if (!words) return;
      marked.set(before, words.before);
      marked.set(after, words.after);
    });
  }
  return marked;
}

interface Placed {
  line: DiffLine;
  /** To the nearest changed line of the hunk; 0 for one itself. */
  distance: number;
}

function distances(lines: readonly DiffLine[]): Placed[] {
  const away = lines.map(() => Infinity);
  const spread = (places: readonly number[]) => {
    let distance = Infinity;
    for (const place of places) {
      distance = lines[place]?.mark === " " ? distance + 1 : 0;
      away[place] = Math.min(away[place] ?? Infinity, distance);
    }
  };
  const places = lines.map((_, place) => place);
  spread(places);
  spread(places.toReversed());
  return lines.map((line, place) => ({ line, distance: away[place] ?? Infinity }));
}

/** Lines that were changed one after the other stand together; all else by itself. */
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
