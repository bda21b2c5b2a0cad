import type { SentInstructions } from "./api/types";
import { shortCount } from "./sizes";

export interface InstructionsSent {
  short: string;
  /** Each file, and what was left out of it. */
  words: string;
}

/** The instruction files that a turn started with. Null if there were none. */
export function instructionsSent(sent: readonly SentInstructions[] | undefined): InstructionsSent | null {
  const first = sent?.[0];
  if (!sent || !first) return null;
  const tokens = sent.reduce((sum, each) => sum + each.tokens, 0);
  const all = sent.reduce((sum, each) => sum + each.of, 0);
  const name = sent.length === 1 ? first.path : `${first.path} and ${String(sent.length - 1)} more`;
  const part = tokens < all ? `${shortCount(tokens)} of ${shortCount(all)} tokens` : `${shortCount(tokens)} tokens`;
  return { short: `${name} · ${part}`, words: sent.map(fileWords).join("\n") };
}

function fileWords({ path, tokens, of, problem }: SentInstructions): string {
  if (problem) return `${path}: not sent. ${problem}`;
  const whole = of.toLocaleString("en");
  if (tokens === of) return `${path}: sent whole, about ${whole} tokens`;
  return `${path}: ${tokens.toLocaleString("en")} of about ${whole} tokens sent, the rest did not fit`;
}
