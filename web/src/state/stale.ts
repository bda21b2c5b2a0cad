import type { ChatState } from "./fold";
import { callUnderWay } from "./parts";

/** Milliseconds without a frame after which a person should be told. */
export const STALE_AFTER = 60_000;

/** The model gives no sign. Not so while a tool is at work, a person is asked, or another process answers. */
export function isStale({ messages, busy, asks, detail, lastFrameAt }: ChatState, now: number): boolean {
  if (!busy || detail.elsewhere || asks.length > 0 || now - lastFrameAt < STALE_AFTER) return false;
  const streaming = messages.findLast((each) => each.status === "streaming");
  return streaming !== undefined && !callUnderWay(streaming.parts);
}
