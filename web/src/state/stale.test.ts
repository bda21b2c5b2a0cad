import { expect, it } from "vitest";

import type { Frame } from "../api/types";
import { foldAll, fromDetail } from "./fold";
import { NOW, calls, completes, detailOf, ends, numbered, returns, says, start } from "./samples";
import { STALE_AFTER, isStale } from "./stale";

const after = (...frames: Frame[]) => foldAll(fromDetail(detailOf(), NOW), numbered(frames), NOW);
const ask = { id: "q", project_id: "p", what: "", reason: "", can_remember: false, is_command: true, removes: false, opens: [], rule: "", asked_at: 0 };
const later = NOW + STALE_AFTER;

it("is a message that streams and got no frame for a minute", () => {
  expect(isStale(after(start, says("a")), later - 1)).toBe(false);
  expect(isStale(after(start, says("a")), later)).toBe(true);
});

it.each([
  ["failed", after(start, completes("failed"))],
  ["finished", after(start, completes(), ends)],
  ["waiting for a tool", after(start, calls("c1"), calls("c2"), returns("c1"))],
  ["waiting for the user", { ...after(start), asks: [ask] }],
  ["written by another process", { ...after(start), detail: { ...detailOf(), elsewhere: true } }],
])("is never one that is %s", (_, state) => {
  expect(isStale(state, later)).toBe(false);
});

it("is one whose tools have all answered", () => {
  expect(isStale(after(start, calls("c1"), returns("c1")), later)).toBe(true);
});
