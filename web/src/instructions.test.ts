import { expect, test } from "vitest";

import { instructionsSent } from "./instructions";

const agents = { path: "AGENTS.md", tokens: 120, of: 120, problem: "" };

test("a turn without instructions says nothing of them", () => {
  expect(instructionsSent([])).toBeNull();
  expect(instructionsSent(undefined)).toBeNull();
});

test("one file is named with its tokens", () => {
  expect(instructionsSent([agents])).toEqual({
    short: "AGENTS.md · 120 tokens",
    words: "AGENTS.md: sent whole, about 120 tokens",
  });
});

test("what was left out, and what could not be read, is shown", () => {
  const cut = { ...agents, tokens: 2048, of: 5400 };
  const broken = { path: "MULLIGAN.md", tokens: 0, of: 0, problem: "MULLIGAN.md is a folder." };
  expect(instructionsSent([cut, broken])).toEqual({
    short: "AGENTS.md and 1 more · 2k of 5.4k tokens",
    words:
      "AGENTS.md: 2,048 of about 5,400 tokens sent, the rest did not fit\n" +
      "MULLIGAN.md: not sent. MULLIGAN.md is a folder.",
  });
});
