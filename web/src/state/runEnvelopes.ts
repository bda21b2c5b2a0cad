import type { Ask, Envelope, RunDetail } from "../api/types";
import { mergeDeltas } from "./fold";

export interface WatchedRun {
  detail: RunDetail;
  /** All so far, if this server runs it. Text that streamed in several deltas is one frame. */
  envelopes: readonly Envelope[];
  asks: readonly Ask[];
  /** The number of the newest frame in this state. */
  seq: number;
}

/** When a run has ended, the server drops its frames; the page keeps those it has seen. */
export function loadedRun(detail: RunDetail, before: WatchedRun | undefined): WatchedRun {
  // Its last frames may still be on the way, so they don't count as seen.
  const kept = detail.live.length === 0 ? before : undefined;
  const { envelopes, seq } = kept ?? { envelopes: detail.live, seq: detail.seq };
  return { detail, envelopes, asks: detail.asks, seq };
}

/** The run with new frames; frames that it has are ignored. */
export function withEnvelopes(run: WatchedRun, envelopes: readonly Envelope[]): WatchedRun {
  const fresh = envelopes.filter((each) => each.run_id === run.detail.run.id && each.seq > run.seq);
  const last = fresh.at(-1);
  if (!last) return run;
  const asks = fresh.reduce<readonly Ask[]>((open, { frame }) => {
    if (frame.type === "asked") return [...open.filter((each) => each.id !== frame.ask.id), frame.ask];
    return frame.type === "ask_settled" ? open.filter((each) => each.id !== frame.ask_id) : open;
  }, run.asks);
  // Only here can frames merge: older ones are merged already, and may be many.
  const seam = mergeDeltas([...run.envelopes.slice(-1), ...fresh]);
  return { ...run, asks, envelopes: [...run.envelopes.slice(0, -1), ...seam], seq: last.seq };
}
