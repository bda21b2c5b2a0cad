import { describe, expect, it } from "vitest";

import { onTo, percent, rowMiddles, searchFor, shownBy, splitPath, weighed } from "./navigation";

describe("the trail", () => {
  it("grows by the file that is gone to", () => {
    expect(onTo(["a", "b"], "c")).toEqual(["a", "b", "c"]);
  });

  it("goes back to a file that is on it", () => {
    expect(onTo(["a", "b", "c"], "a")).toEqual(["a"]);
  });

  it("forgets its beginning when it gets long", () => {
    const trail = Array.from("abcdefgh").reduce<string[]>(onTo, []);
    expect(onTo(trail, "i").join("")).toBe("bcdefghi");
  });

  it("is kept in the address", () => {
    const shown = { trail: ["src/a b.py", "src/ä&c.py"], group: "src" };
    expect(shownBy(new URLSearchParams(searchFor(shown).toString()))).toEqual(shown);
  });
});

it.each([
  ["src/core/a.py", "src/core/", "a.py"],
  ["a.py", "", "a.py"],
])("splits %s", (path, folder, name) => {
  expect(splitPath(path)).toEqual({ folder, name });
});

it("draws large groups first, and small ones large enough to hit", () => {
  const group = (name: string, files: number) => ({ name, files: Array.from({ length: files }, String), symbols: [] });
  const drawn = weighed([group("small", 1), group("large", 79)]);
  expect(drawn.map(({ group: { name }, weight }) => [name, weight])).toEqual([
    ["large", 79],
    ["small", 2],
  ]);
});

it("centres rows", () => {
  expect(rowMiddles(2, 10, 40)).toEqual([15, 25]);
});

it.each([
  [1, 3, "33 %"],
  [1, 1000, "< 1 %"],
  [0, 10, "0 %"],
  [0, 0, "0 %"],
])("says %d of %d as %s", (part, whole, words) => {
  expect(percent(part, whole)).toBe(words);
});
