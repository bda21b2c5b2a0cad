import { expect, it } from "vitest";

import { contextUse } from "./context";

it.each([
  [700, 1000, "calm", 70],
  [710, 1000, "filling", 71],
  [850, 1000, "filling", 85],
  [860, 1000, "full", 86],
  [2000, 1000, "full", 100],
])("%i of %i tokens is %s", (tokens, length, fullness, percent) => {
  expect(contextUse({ tokens, length })).toMatchObject({ fullness, percent });
});

it("tells tokens alone where the context's length is not known", () => {
  expect(contextUse({ tokens: 12_345, length: null })).toMatchObject({ percent: null, short: "12.3k tokens" });
});
