import type { Ask, Envelope, RunDetail } from "../api/types";
import { mergeDeltas } from "./fold";

export interface WatchedRun {
  detail: RunDetail;
  /** All so far, if it runs here. Text that streamed in several pieces is one. */
  envelopes: readonly Envelope[];
  asks: readonly Ask[];
  /** Frames up to this number are in here. */
  seq: number;
}

/** When a run has ended the server lets its frames go; the page keeps those it has seen. */
export function loadedRun(detail: RunDetail, before: WatchedRun | undefined): WatchedRun {
  // Its last frames may still be on the way, so they don't count as seen.
  const kept = detail.live.length === 0 ? before : undefined;
  const { envelopes, seq } = kept ?? { envelopes: detail.live, seq: detail.seq };
  return { detail, envelopes, asks: detail.asks, seq };
}

/** A run with further frames. Those that it has are left out. */
export function withEnvelopes(run: WatchedRun, envelopes: readonly Envelope[]): WatchedRun {
  const fresh = envelopes.filter((each) => each.run_id === run.detail.run.id && each.seq > run.seq);
  const last = fresh.at(-1);
  if (!last) return run;
  const asks = fresh.reduce<readonly Ask[]>((open, { frame }) => {
    if (frame.type === "asked") return [...open.filter((each) => each.id !== frame.ask.id), frame.ask];
    return frame.type === "ask_settled" ? open.filter((each) => each.id !== frame.ask_id) : open;
  }, run.asks);
  // Only the seam can merge: what is there is merged already, and may be long.
  const seam = mergeDeltas([...run.envelopes.slice(-1), ...fresh]);
  return { ...run, asks, envelopes: [...run.envelopes.slice(0, -1), ...seam], seq: last.seq };
}
