/** Sentences about events within a turn. */
import type { FrameOf } from "../api/types";

export function retryWords({ attempt, attempts, delay, reason }: FrameOf<"reply_retry">): string {
  const wait = delay > 0 ? ` in ${String(Math.max(1, Math.round(delay)))} s` : "";
  const why = reason.replace(/\.$/, "");
  return `Attempt ${String(attempt)} of ${String(attempts)} failed, asking again${wait}: ${why}.`;
}

/** What the user should know about a checkpoint; null if it is complete. */
export function checkpointWords(taken: FrameOf<"checkpoint">): string | null {
  if (taken.problem) return `No checkpoint was taken: ${taken.problem}`;
  const sentences: string[] = [];
  if (taken.not_covered.length > 0) sentences.push(`Not in the checkpoint: ${taken.not_covered.join(", ")}.`);
  if (taken.pruned > 0) sentences.push(`${String(taken.pruned)} old checkpoints were deleted to save space.`);
  return sentences.join(" ") || null;
}
