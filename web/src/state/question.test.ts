import { expect, it } from "vitest";

import type { Part } from "../api/types";
import { questionOf } from "./question";
import { storedMessage, turnMeta } from "./samples";

const metadata = { ...turnMeta, stop_reason: "paused" } as const;
const given = { question: "Which?", options: ["a", 3] };
const call: Part = { kind: "tool_call", call_id: "c", name: "ask_user", arguments: given, repairs: [] };
const paused = storedMessage({ id: "m1", seq: 2, role: "assistant", metadata, parts: [call] });

it("finds the question with which the newest turn paused", () => {
  expect(questionOf([paused])).toEqual({ text: "Which?", options: ["a"] });
});

it("forgets it once it was answered", () => {
  expect(questionOf([paused, storedMessage({ id: "u2", seq: 3, role: "user" })])).toBeNull();
});
