/** Decisions about the page's one connection; `socket.ts` carries them out. */
import type { Envelope, Hello } from "../api/types";

export type Connection = "open" | "connecting" | "lost";

/** The newest frame that the page has. Numbers are only comparable within one epoch. */
export interface Known {
  epoch: string;
  seq: number;
}

const MIN_WAIT_MS = 300;
const MAX_WAIT_MS = 10_000;
/** The server pings every 15 s; a laptop that slept, or a lost network, gives no sign. */
export const SILENCE_LIMIT = 40_000;
/** The limit when the user has just returned to the page: one missed ping is enough to check. */
export const SILENCE_LIMIT_ON_RETURN = 20_000;

/** Milliseconds before attempt `attempt` (from 0). Jitter keeps many open pages from reconnecting all at once. */
export function waitBefore(attempt: number, random: number): number {
  const full = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * 2 ** attempt);
  return Math.max(MIN_WAIT_MS, full * (0.5 + random / 2));
}

/** One short interruption is not worth a banner; a failed attempt is. */
export function connectionAfter(failedAttempts: number): Connection {
  return failedAttempts > 0 ? "lost" : "connecting";
}

export function socketAddress(page: { protocol: string; host: string }, known: Known): string {
  const protocol = page.protocol === "https:" ? "wss:" : "ws:";
  const query = new URLSearchParams({ since: String(known.seq), epoch: known.epoch });
  return `${protocol}//${page.host}/api/socket?${query.toString()}`;
}

/** The page's position after a hello, and whether everything has to be reloaded. */
export function handleHello(known: Known, hello: Hello): { known: Known; reload: boolean } {
  if (!hello.resync && hello.epoch === known.epoch) return { known, reload: false };
  return { known: { epoch: hello.epoch, seq: hello.seq }, reload: true };
}

/** The frames that the page does not have yet, and its new position. */
export function takeNew(known: Known, envelopes: readonly Envelope[]): { known: Known; fresh: Envelope[] } {
  const fresh = envelopes.filter((each) => each.seq > known.seq);
  const seq = fresh.at(-1)?.seq ?? known.seq;
  return { known: { ...known, seq }, fresh };
}
