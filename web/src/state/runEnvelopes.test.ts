import { expect, it } from "vitest";

import type { Ask, Envelope, Frame, RunDetail } from "../api/types";
import { loadedRun, withEnvelopes } from "./runEnvelopes";
import { PROJECT, says } from "./samples";

const RUN = "run";
// Only what is looked at: a whole run state is long, and is passed on as it is.
const detail = { run: { id: RUN }, live: [], seq: 2, asks: [], report: null, pending: 0 } as unknown as RunDetail;
const ask: Ask = { id: "q", project_id: PROJECT, run_id: RUN, what: "make", reason: "", can_remember: false, is_command: true, removes: false, opens: [], rule: "", asked_at: 0 };

function frames(first: number, ...given: Frame[]): Envelope[] {
  return given.map((frame, index) => ({ seq: first + index, project_id: PROJECT, run_id: RUN, frame }));
}

it("takes each frame of its run once, and text as one piece", () => {
  const run = withEnvelopes(loadedRun(detail, undefined), frames(2, says("old"), says("a"), says("b")));
  const more = withEnvelopes(run, frames(4, says("b"), says("c")));
  expect(more.envelopes.map(({ seq, frame }) => [seq, "text" in frame && frame.text])).toEqual([[5, "abc"]]);
});

it("is the same object where nothing is new", () => {
  const run = loadedRun(detail, undefined);
  expect(withEnvelopes(run, frames(1, says("old")))).toBe(run);
  expect(withEnvelopes(run, [{ ...frames(9, says("x"))[0], run_id: "other" } as Envelope])).toBe(run);
});

it("knows which questions are open", () => {
  const asked = withEnvelopes(loadedRun(detail, undefined), frames(3, { type: "asked", ask }));
  expect(asked.asks).toEqual([ask]);
  expect(withEnvelopes(asked, frames(4, { type: "ask_settled", ask_id: "q", granted: null })).asks).toEqual([]);
});

it("keeps the frames it has seen when the server has let them go", () => {
  const run = withEnvelopes(loadedRun(detail, undefined), frames(3, says("a")));
  expect(loadedRun({ ...detail, seq: 9 }, run).envelopes).toHaveLength(1);
});
