import type { ChatState } from "./fold";
import { callUnderWay } from "./parts";

/** Milliseconds without a frame after which the user should know. */
export const STALE_AFTER = 60_000;

/** Whether the model is silent. Not while a tool runs, an approval is open, or another process answers. */
export function isStale({ messages, busy, asks, detail, lastFrameAt }: ChatState, now: number): boolean {
  if (!busy || detail.elsewhere || asks.length > 0 || now - lastFrameAt < STALE_AFTER) return false;
  const streaming = messages.findLast((each) => each.status === "streaming");
  return streaming !== undefined && !callUnderWay(streaming.parts);
}
