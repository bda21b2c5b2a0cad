import { expect, test } from "vitest";

import { scaledTo } from "./imageSizes";

test.each([
  ["a small one stays", [800, 600, 90_000], null],
  ["a wide one is scaled", [4000, 1000, 90_000], { width: 2000, height: 500 }],
  ["a tall one is scaled", [10, 8000, 90_000], { width: 3, height: 2000 }],
  ["a heavy one is encoded again", [800, 600, 9_000_000], { width: 800, height: 600 }],
] as const)("%s", (_, [width, height, bytes], size) => {
  expect(scaledTo(width, height, bytes)).toEqual(size);
});
