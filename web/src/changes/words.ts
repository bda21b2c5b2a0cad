/** Which words of a line changed, so that the eye finds them. */

/** A stretch of a line; together they are the whole line. */
export interface Segment {
  text: string;
  changed: boolean;
}

export interface ChangedWords {
  before: Segment[];
  after: Segment[];
}

/** Lines with less in common than this are two different lines: marking their words would only make noise. */
const ALIKE = 0.35;
/** Of the table that is filled to compare: a line of minified code must not make the page wait. */
const MOST_CELLS = 200_000;

/** The words by which two lines differ; null where they have too little in common. */
export function changedWords(before: string, after: string): ChangedWords | null {
  const old = wordsOf(before);
  const now = wordsOf(after);
  const head = sameFrom(old, now);
  const tail = sameFrom(old.slice(head).reverse(), now.slice(head).reverse());
  const oldMiddle = old.slice(head, old.length - tail);
  const newMiddle = now.slice(head, now.length - tail);
  if (oldMiddle.length * newMiddle.length > MOST_CELLS) return null;

  const kept = commonWords(oldMiddle, newMiddle);
  const inBefore = (place: number) => place < head || place >= old.length - tail || kept.before.has(place - head);
  const inAfter = (place: number) => place < head || place >= now.length - tail || kept.after.has(place - head);
  const common = old.filter((word, place) => inBefore(place) && word.trim()).join("").length;
  const longer = Math.max(withoutSpace(before), withoutSpace(after));
  if (longer > 0 && common / longer < ALIKE) return null;
  return { before: segments(old, inBefore), after: segments(now, inAfter) };
}

/** Words, stretches of space, and every other character by itself. */
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

/** The places of a longest common subsequence in both. */
function commonWords(one: readonly string[], other: readonly string[]): { before: Set<number>; after: Set<number> } {
  // lengths[i][j]: of the longest one in what follows place i of the one and place j of the other.
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

/** Neighbours that share a fate as one. A space between two changed words changes with them. */
function segments(words: readonly string[], isKept: (place: number) => boolean): Segment[] {
  const changed = words.map((_, place) => !isKept(place));
  const joined = changed.map(
    (own, place) => own || (!words[place]?.trim() && changed[place - 1] === true && changed[place + 1] === true),
  );
  const found: Segment[] = [];
  words.forEach((text, place) => {
    const own = joined[place] === true;
    const last = found.at(-1);
    if (last?.changed === own) last.text += text;
    else found.push({ text, changed: own });
  });
  return found;
}
