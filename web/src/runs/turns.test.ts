import { expect, it } from "vitest";

import type { Frame } from "../api/types";
import { node, numbered } from "./fixtures";
import { turnsOf } from "./turns";

const start = (chat: string, message: string): Frame => ({
  type: "turn_start",
  chat_id: chat,
  message_id: message,
  agent: "coder",
  model: "small",
  seq: 2,
  prompt: "fix it",
  continues: false,
  attached: [],
});
const text = (message: string, words: string): Frame => ({ type: "text_delta", message_id: message, text: words });

it("folds each attempt's turn into its own conversation", () => {
  const frames = numbered(
    node("coder", 1),
    start("one", "m1"),
    text("m1", "I take "),
    text("m1", "off the one."),
    node("coder", 2),
    start("two", "m2"),
    text("m2", "Again."),
  );
  const found = turnsOf("project", frames).map(({ messages }) =>
    messages.map(({ parts }) => parts.map((part) => (part.kind === "text" ? part.text : part.kind)).join("|")),
  );
  expect(found).toEqual([
    ["fix it", "I take off the one."],
    ["fix it", "Again."],
  ]);
});

it("is empty before the coder's first turn", () => {
  expect(turnsOf("project", numbered(node("baseline")))).toEqual([]);
});
