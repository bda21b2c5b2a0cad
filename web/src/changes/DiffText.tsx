import type { SchemaDiffLine as DiffLine } from "../api/schema";
import type { Segment } from "./words";

export const MARKS = { "+": "+", "-": "−", " ": "" } as const;
const NAMES = { "+": "added", "-": "removed", " ": "same" } as const;

export function lineClass(line: DiffLine): string {
  return `diff-${NAMES[line.mark]}`;
}

/** A line's text, with the words marked by which it differs from the one whose place it took. */
export function DiffText({ line, words }: { line: DiffLine; words: readonly Segment[] | undefined }) {
  if (!words) return line.text;
  return words.map(({ text, changed }, place) => (changed ? <mark key={place}>{text}</mark> : text));
}
