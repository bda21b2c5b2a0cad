import { expect, it } from "vitest";

import { contextParts, contextUse } from "./context";

it.each([
  [700, 1000, "calm", 70],
  [710, 1000, "filling", 71],
  [850, 1000, "filling", 85],
  [860, 1000, "full", 86],
  [2000, 1000, "full", 100],
])("%i of %i tokens is %s", (tokens, length, fullness, percent) => {
  expect(contextUse({ tokens, length, estimated: false })).toMatchObject({ fullness, percent });
});

it("tells tokens alone where the context's length is not known", () => {
  expect(contextUse({ tokens: 12_345, length: null, estimated: false })).toMatchObject({ percent: null, short: "12.3k tokens" });
});

it("the parts of a context add up to its total", () => {
  const parts = { system: 400, tools: 300, files: 200, history: 70, images: 20, reply: 10 };
  const shown = contextParts({ tokens: 1000, length: 4000, parts, estimated: false });
  expect(shown.map((each) => each.tokens)).toEqual([400, 300, 200, 70, 20, 10, 1000, 3000]);
  expect(shown.at(-2)?.share).toBe("25 %");
  expect(contextParts({ tokens: 5, length: null, parts: null, estimated: false })).toEqual([]);
});
