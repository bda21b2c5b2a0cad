import { describe, expect, it } from "vitest";

import { message, userMessage, sentinel, words } from "./fixtures";
import { followsAfter, markEnd, neighbour, newSince, userWroteSince } from "./scrolling";

describe("followsAfter", () => {
  const at = (scrollTop: number, scrollHeight = 1000) => ({ scrollTop, scrollHeight, clientHeight: 400 });

  it.each([
    ["continues at the end", true, 600, at(600), true],
    ["stops when the user scrolls up", true, 600, at(400), false],
    ["continues when the content grew", true, 600, at(600, 1400), true],
    ["does not begin on a way down that ends short", false, 100, at(300), false],
    ["begins again near the end", false, 300, at(580), true],
  ])("%s", (_, following, before, now, follows) => {
    expect(followsAfter(following, before, now)).toBe(follows);
  });
});

describe("newSince", () => {
  const first = message({ seq: 10, parts: [words("a"), words("b")] });
  const mark = markEnd([first]);

  it("counts parts of the same message and of later ones, sentinels too", () => {
    const grown = { ...first, parts: [...first.parts, words("c")] };
    const stop = { ...sentinel({ kind: "aborted" }), seq: 11 };
    expect(newSince(mark, [grown, stop])).toBe(2);
  });

  it("counts no messages that were loaded above", () => {
    expect(newSince(mark, [message({ seq: 1, parts: [words("old")] }), first])).toBe(0);
  });

  it("counts nothing less than nothing when a message shrinks", () => {
    expect(newSince(mark, [{ ...first, parts: [] }])).toBe(0);
  });

  it("knows whether the user has written", () => {
    expect(userWroteSince(mark, [first])).toBe(false);
    expect(userWroteSince(mark, [first, userMessage("Go on", 11)])).toBe(true);
  });
});

describe("neighbour", () => {
  it.each([
    ["down", 5, 2, 1, 3],
    ["up", 5, 2, -1, 1],
    ["not past the end", 5, 4, 1, 4],
    ["not past the beginning", 5, 0, -1, 0],
    ["from nowhere to what is in sight", 5, -1, 1, 3],
  ] as const)("%s", (_, count, current, step, next) => {
    expect(neighbour(count, current, step, 3)).toBe(next);
  });
});
