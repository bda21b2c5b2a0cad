import { plural } from "./amounts";

export interface Limits {
  lines: number;
  characters: number;
}

export interface Cut {
  shown: string;
  /** What is omitted, in words; null if nothing is. */
  rest: string | null;
}

/** The beginning of a long text. If only a few lines would be omitted, none are. */
export function cutText(text: string, limits: Limits): Cut {
  const lines = text.split("\n");
  const fits = lines.length <= limits.lines * 1.25 && text.length <= limits.characters * 1.25;
  if (fits) return { shown: text, rest: null };
  const shown = lines.slice(0, limits.lines).join("\n").slice(0, limits.characters);
  const missing = lines.length - shown.split("\n").length;
  const rest = missing > 0 ? plural(missing, "more line") : plural(text.length - shown.length, "more character");
  return { shown, rest };
}
