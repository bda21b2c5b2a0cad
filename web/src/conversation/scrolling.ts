import type { Message } from "./messages";

/** Pixels from the end that still count as the end. */
const NEAR = 48;

export interface Position {
  scrollTop: number;
  scrollHeight: number;
  clientHeight: number;
}

/** The end of the conversation when the user scrolled away from it. */
export interface Mark {
  seq: number;
  parts: number;
}

/**
 * Whether the view follows the newest text after a scroll from `before` to `now`. Only scrolling up stops it: growing
 * content moves the end away although nobody scrolled.
 */
export function followsAfter(following: boolean, before: number, now: Position): boolean {
  if (now.scrollHeight - now.clientHeight - now.scrollTop <= NEAR) return true;
  return following && now.scrollTop >= before;
}

export function markEnd(messages: readonly Message[]): Mark {
  const last = messages.at(-1);
  return last ? { seq: last.seq, parts: last.parts.length } : { seq: 0, parts: 0 };
}

/** How many parts were added, including sentinels; earlier messages that were loaded meanwhile are not new. */
export function newSince(mark: Mark, messages: readonly Message[]): number {
  let count = 0;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (!message || message.seq < mark.seq) break;
    const before = message.seq === mark.seq ? mark.parts : 0;
    const own = message.seq === mark.seq ? message.parts.length : Math.max(1, message.parts.length);
    count += Math.max(0, own - before);
  }
  return count;
}

/** The message `step` positions from `current`; without a current one, down starts at the first visible message. */
export function neighbour(count: number, current: number, step: 1 | -1, firstInSight: number): number {
  const next = current < 0 ? firstInSight : current + step;
  return Math.min(count - 1, Math.max(0, next));
}

/** Whether the user has sent a message since. */
export function userWroteSince(mark: Mark, messages: readonly Message[]): boolean {
  return messages.some((message) => message.role === "user" && message.seq > mark.seq);
}
