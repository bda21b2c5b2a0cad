/** The entries of the palette, and which of them match what the user typed. */
export interface Choice {
  id: string;
  title: string;
  /** What kind of entry it is, or where it leads. */
  hint: string;
  href: string;
  /** Of a message: the text around the match, and the positions of the matches in it. */
  excerpt?: string;
  marks?: readonly (readonly [number, number])[];
}

/** A text in segments, with the marked ones separate. */
export function markedPieces(
  text: string,
  marks: readonly (readonly [number, number])[],
): { text: string; marked: boolean }[] {
  const pieces: { text: string; marked: boolean }[] = [];
  let last = 0;
  for (const [start, end] of marks) {
    if (start > last) pieces.push({ text: text.slice(last, start), marked: false });
    pieces.push({ text: text.slice(start, end), marked: true });
    last = end;
  }
  if (last < text.length) pieces.push({ text: text.slice(last), marked: false });
  return pieces;
}

/** Every word must occur. Entries whose title starts with the words come first, otherwise in the given order. */
export function matching(choices: readonly Choice[], typed: string, most = 50): Choice[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = choices.filter(({ title, hint }) => {
    const text = `${title} ${hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const start = words.join(" ");
  const first = fits.filter((each) => start !== "" && each.title.toLowerCase().startsWith(start));
  return [...first, ...fits.filter((each) => !first.includes(each))].slice(0, most);
}
