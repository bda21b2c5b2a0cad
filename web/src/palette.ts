/** What can be chosen in the palette, and which of it fits what a person typed. */
export interface Choice {
  id: string;
  title: string;
  /** What it is, or where it is. */
  hint: string;
  href: string;
  /** Of a message: the words around what was looked for, and where in it they stand. */
  excerpt?: string;
  marks?: readonly (readonly [number, number])[];
}

/** A text in pieces, those that are marked apart. */
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

/** Every word must occur; those whose title begins with the words come first, then the order that was given. */
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
