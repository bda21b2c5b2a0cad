/** What the page decides about its one connection; `socket.ts` carries it out. */
import type { Envelope, Hello } from "../api/types";

export type Connection = "open" | "connecting" | "lost";

/** Up to where the page has all frames. Numbers mean something only within one epoch. */
export interface Known {
  epoch: string;
  seq: number;
}

const SHORTEST_WAIT = 300;
const LONGEST_WAIT = 10_000;
/** The server gives a sign every 15 s; a laptop that slept, or a network that went, gives none. */
export const SILENCE_LIMIT = 40_000;
/** The same when the person has just come back to the page: one missed sign is enough to look. */
export const SILENCE_LIMIT_ON_RETURN = 20_000;

/** Milliseconds before attempt `attempt` (from 0). Jitter keeps many open pages from coming back all at once. */
export function waitBefore(attempt: number, random: number): number {
  const full = Math.min(LONGEST_WAIT, SHORTEST_WAIT * 2 ** attempt);
  return Math.max(SHORTEST_WAIT, full * (0.5 + random / 2));
}

/** One short break is not worth a banner; a failed attempt is. */
export function connectionAfter(failedAttempts: number): Connection {
  return failedAttempts > 0 ? "lost" : "connecting";
}

export function socketAddress(page: { protocol: string; host: string }, known: Known): string {
  const protocol = page.protocol === "https:" ? "wss:" : "ws:";
  const query = new URLSearchParams({ since: String(known.seq), epoch: known.epoch });
  return `${protocol}//${page.host}/api/socket?${query.toString()}`;
}

/** Where the page stands after a greeting, and whether what it shows has to be loaded again. */
export function greet(known: Known, hello: Hello): { known: Known; reload: boolean } {
  if (!hello.resync && hello.epoch === known.epoch) return { known, reload: false };
  return { known: { epoch: hello.epoch, seq: hello.seq }, reload: true };
}

/** Only those that the page does not have, and where it stands with them. */
export function take(known: Known, envelopes: readonly Envelope[]): { known: Known; fresh: Envelope[] } {
  const fresh = envelopes.filter((each) => each.seq > known.seq);
  const seq = fresh.at(-1)?.seq ?? known.seq;
  return { known: { ...known, seq }, fresh };
}
