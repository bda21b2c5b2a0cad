/** Marks the words of a line that changed. */

/** A segment of a line; together they are the whole line. */
export interface Segment {
  text: string;
  changed: boolean;
}

export interface ChangedWords {
  before: Segment[];
  after: Segment[];
}

/** Lines with less in common than this are two different lines: marking their words would only be noise. */
const ALIKE = 0.35;
/** Most cells of the table for the comparison: a line of minified code must not block the page. */
const MAX_CELLS = 200_000;

/** The words by which two lines differ; null if they have too little in common. */
export function changedWords(before: string, after: string): ChangedWords | null {
  const old = wordsOf(before);
  const now = wordsOf(after);
  const head = sameFrom(old, now);
  const tail = sameFrom(old.slice(head).reverse(), now.slice(head).reverse());
  const oldMiddle = old.slice(head, old.length - tail);
  const newMiddle = now.slice(head, now.length - tail);
  if (oldMiddle.length * newMiddle.length > MAX_CELLS) return null;

  const kept = commonWords(oldMiddle, newMiddle);
  const inBefore = (index: number) => index < head || index >= old.length - tail || kept.before.has(index - head);
  const inAfter = (index: number) => index < head || index >= now.length - tail || kept.after.has(index - head);
  const common = old.filter((word, index) => inBefore(index) && word.trim()).join("").length;
  const longer = Math.max(withoutSpace(before), withoutSpace(after));
  if (longer > 0 && common / longer < ALIKE) return null;
  return { before: segments(old, inBefore), after: segments(now, inAfter) };
}

/** Words, runs of whitespace, and every other character alone. */
function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function withoutSpace(line: string): number {
  return line.replace(/\s/g, "").length;
}

function sameFrom(one: readonly string[], other: readonly string[]): number {
  let same = 0;
  while (same < one.length && same < other.length && one[same] === other[same]) same += 1;
  return same;
}

/** The positions of a longest common subsequence in both. */
function commonWords(one: readonly string[], other: readonly string[]): { before: Set<number>; after: Set<number> } {
  // lengths[i][j]: the length of the longest one in the rest from i in `one` and from j in `other`.
  const lengths = Array.from({ length: one.length + 1 }, () => new Uint32Array(other.length + 1));
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = one.length - 1; i >= 0; i -= 1) {
    const row = lengths[i];
    if (!row) continue;
    for (let j = other.length - 1; j >= 0; j -= 1) {
      row[j] = one[i] === other[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const before = new Set<number>();
  const after = new Set<number>();
  let i = 0;
  let j = 0;
  while (i < one.length && j < other.length) {
    if (one[i] === other[j]) {
      before.add(i);
      after.add(j);
      i += 1;
      j += 1;
    } else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return { before, after };
}

/** Adjacent words with the same status as one segment. A space between two changed words counts as changed. */
function segments(words: readonly string[], isKept: (index: number) => boolean): Segment[] {
  const changed = words.map((_, index) => !isKept(index));
  const joined = changed.map(
    (own, index) => own || (!words[index]?.trim() && changed[index - 1] === true && changed[index + 1] === true),
  );
  const found: Segment[] = [];
  words.forEach((text, index) => {
    const own = joined[index] === true;
    const last = found.at(-1);
    if (last?.changed === own) last.text += text;
    else found.push({ text, changed: own });
  });
  return found;
}
