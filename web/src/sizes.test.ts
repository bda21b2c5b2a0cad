import { expect, it } from "vitest";

import { bytes, shortCount } from "./sizes";

it.each([
  [999, "999"],
  [1000, "1k"],
  [32_768, "32.8k"],
  [131_072, "131k"],
  [1_048_576, "1M"],
])("writes %i as %s", (count, words) => {
  expect(shortCount(count)).toBe(words);
});

it("writes sizes as people read them", () => {
  expect([400, 12_000, 412_000_000, 1_250_000_000].map(bytes)).toEqual(["1 kB", "12 kB", "412 MB", "1.3 GB"]);
});
