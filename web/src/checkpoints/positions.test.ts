import { expect, it } from "vitest";

import type { SchemaRestoreMarkView as RestoreMarkView } from "../api/schema";
import type { CheckpointView, Message } from "../api/types";
import { AT_THE_END, marksBefore, questionsOf, withQuestions } from "./positions";

const message = (id: string, role: Message["role"], seq: number) => ({ id, role, seq }) as Message;
const CHAT = [message("q1", "user", 1), message("a1", "assistant", 2), message("q2", "user", 5), message("a2", "assistant", 6)];

it("offers a turn's checkpoint above its question", () => {
  const checkpoint = { id: "c" } as CheckpointView;
  const placed = withQuestions(new Map([["a2", [checkpoint]]]), questionsOf(CHAT));
  expect([...placed.keys()].sort()).toEqual(["a2", "q2"]);
});

it("puts a marker where the restore was made, also when the chat has gone on", () => {
  const marks = [{ id: "old", at_seq: 4 }, { id: "new", at_seq: 7 }] as RestoreMarkView[];
  const placed = marksBefore(marks, CHAT);
  expect(placed.get("q2")?.map(({ id }) => id)).toEqual(["old"]);
  expect(placed.get(AT_THE_END)?.map(({ id }) => id)).toEqual(["new"]);
});
