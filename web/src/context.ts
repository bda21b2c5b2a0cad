import type { ContextView } from "./api/types";
import { shortCount } from "./sizes";

export type Fullness = "calm" | "filling" | "full";

/** How full a model's context is. Mulligan compacts it at 85 %. */
export interface ContextUse {
  percent: number | null;
  fullness: Fullness;
  short: string;
  words: string;
}

export function contextUse({ tokens, length }: ContextView): ContextUse {
  if (!length) {
    const words = `${tokens.toLocaleString("en")} tokens in the last request; the model's context length is unknown`;
    return { percent: null, fullness: "calm", short: `${shortCount(tokens)} tokens`, words };
  }
  const percent = Math.min(100, Math.round((tokens / length) * 100));
  const fullness = percent > 85 ? "full" : percent > 70 ? "filling" : "calm";
  const room = fullness === "calm" ? "" : fullness === "filling" ? ", filling up" : ", will be compacted soon";
  const used = `${tokens.toLocaleString("en")} of ${length.toLocaleString("en")} tokens of context`;
  const words = `${used}, ${String(percent)} %${room}`;
  return { percent, fullness, short: `${shortCount(tokens)} of ${shortCount(length)}`, words };
}

const PARTS = {
  system: "Instructions",
  tools: "Tool descriptions",
  files: "Files and results",
  history: "Earlier messages",
  images: "Images",
  reply: "The last reply",
} as const;

export interface ContextPart {
  name: string;
  tokens: number;
  share: string;
}

/** What fills the context, with the total last. */
export function contextParts({ tokens, length, parts, estimated }: ContextView): ContextPart[] {
  if (!parts) return [];
  const whole = length ?? tokens;
  const shareOf = (count: number) => (whole > 0 ? `${String(Math.round((100 * count) / whole))} %` : "");
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[];
  return [
    ...names
      .filter((name) => parts[name] > 0)
      .map((name) => ({ name: PARTS[name], tokens: parts[name], share: shareOf(parts[name]) })),
    { name: estimated ? "Total, about" : "Total", tokens, share: shareOf(tokens) },
    ...(length ? [{ name: "Free", tokens: Math.max(0, length - tokens), share: shareOf(Math.max(0, length - tokens)) }] : []),
  ];
}
