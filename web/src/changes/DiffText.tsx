import type { SchemaDiffLine as DiffLine } from "../api/schema";
import { type Token, overlay } from "./highlight";
import { type Segment, changedWords } from "./words";

export const MARKS = { "+": "+", "-": "−", " ": "" } as const;
const NAMES = { "+": "added", "-": "removed", " ": "same" } as const;

export function lineClass(line: DiffLine): string {
  return `diff-${NAMES[line.mark]}`;
}

interface Props {
  line: DiffLine;
  /** The line that replaced it, or that it replaced. */
  other: DiffLine | null;
  tokens: readonly Token[] | undefined;
}

/** A highlighted line, with the words marked that differ from its counterpart. */
export function DiffText({ line, other, tokens }: Props) {
  const words = wordsOf(line, other);
  const plain: readonly Token[] = [{ text: line.text, look: "" }];
  // A highlighter that changed the text would show what is not in the file.
  const fits = tokens && tokens.map(({ text }) => text).join("") === line.text;
  if (!words && !fits) return line.text;
  return overlay(fits ? tokens : plain, words ?? [{ text: line.text, changed: false }]).map(
    ({ text, look, changed }, index) =>
      changed ? (
        <mark key={index} className={look}>
          {text}
        </mark>
      ) : look ? (
        <span key={index} className={look}>
          {text}
        </span>
      ) : (
        text
      ),
  );
}

/** Only for lines that are rendered: comparing thousands of them word by word is slow. */
const compared = new WeakMap<DiffLine, readonly Segment[] | null>();

function wordsOf(line: DiffLine, other: DiffLine | null): readonly Segment[] | null {
  if (!other) return null;
  const known = compared.get(line);
  if (known !== undefined) return known;
  const [before, after] = line.mark === "-" ? [line, other] : [other, line];
  const words = changedWords(before.text, after.text);
  compared.set(before, words?.before ?? null);
  compared.set(after, words?.after ?? null);
  return (line.mark === "-" ? words?.before : words?.after) ?? null;
}
