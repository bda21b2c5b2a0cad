import { beforeAll, expect, it } from "vitest";

import { setSampleWords } from "../state/wordSamples";
import { paceWords, whyWords } from "./words";

beforeAll(setSampleWords);

it.each([
  ["a run's reason", { reason: "nothing_changed", explanation: "", note: "" }, ["Nothing was changed."]],
  [
    "a job's own reason, and its explanation",
    { reason: "time_limit", explanation: "it took longer than 9 seconds", note: "" },
    ["It exceeded its time limit.", "It took longer than 9 seconds."],
  ],
  ["what it waits for", { reason: "", explanation: "", note: "its worker died" }, ["Its worker died."]],
  ["nothing", { reason: "", explanation: "", note: "" }, []],
  ["a reason that is new", { reason: "too_odd", explanation: "too odd", note: "" }, ["Too odd."]],
])("says %s", (_, job, text) => {
  expect(whyWords(job)).toEqual(text);
});

it.each([
  [{ ended_lately: 0, jobs_per_hour: 0, seconds_left: null }, "No job has ended recently."],
  [{ ended_lately: 2, jobs_per_hour: 1234.4, seconds_left: 90 }, "1,234 jobs an hour, 1 min 30 s left."],
  [{ ended_lately: 2, jobs_per_hour: 12, seconds_left: 0 }, "12 jobs an hour."],
])("describes the pace", (fleet, text) => {
  expect(paceWords(fleet)).toBe(text);
});
