import { expect, it } from "vitest";

import type { ChatDetail } from "../api/types";
import { questionToAsk } from "./sending";

type Said = ChatDetail["messages"];
type Restored = ChatDetail["restores"];

const question = { seq: 1, metadata: { kind: "prompt", continues: false }, parts: [{ kind: "text", text: "why?" }] };
const answer = { seq: 2, metadata: { kind: "turn" }, parts: [] };
const continued = { ...question, seq: 3, metadata: { kind: "prompt", continues: true } };

it.each([
  ["no restore", [question], [], null],
  ["a restore took its answer", [question], [{ at_seq: 2, undoes: false }], { text: "why?", open: true }],
  ["the restore was undone", [question, answer], [{ at_seq: 3, undoes: true }], { text: "why?", open: false }],
  ["it was answered again since", [question, answer], [{ at_seq: 2, undoes: false }], null],
  ["it was asked since", [question, { ...question, seq: 2 }], [{ at_seq: 2, undoes: false }], null],
  ["only Continue was pressed", [question, answer, continued], [{ at_seq: 4, undoes: false }], null],
])("of a question, where %s", (_, messages, restores, expected) => {
  expect(questionToAsk(messages as unknown as Said, restores as unknown as Restored)).toEqual(expected);
});
