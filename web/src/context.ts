import type { ContextView } from "./api/types";
import { shortCount } from "./sizes";

export type Fullness = "calm" | "filling" | "full";

/** How full a model's context is. Mulligan makes room at 85 %. */
export interface ContextUse {
  percent: number | null;
  fullness: Fullness;
  short: string;
  words: string;
}

export function contextUse({ tokens, length }: ContextView): ContextUse {
  if (!length) {
    const words = `${tokens.toLocaleString("en")} tokens in the last request; the model's context length is not known`;
    return { percent: null, fullness: "calm", short: `${shortCount(tokens)} tokens`, words };
  }
  const percent = Math.min(100, Math.round((tokens / length) * 100));
  const fullness = percent > 85 ? "full" : percent > 70 ? "filling" : "calm";
  const room = fullness === "calm" ? "" : fullness === "filling" ? ", filling up" : ", room will be made soon";
  const used = `${tokens.toLocaleString("en")} of ${length.toLocaleString("en")} tokens of context`;
  const words = `${used}, ${String(percent)} %${room}`;
  return { percent, fullness, short: `${shortCount(tokens)} of ${shortCount(length)}`, words };
}
