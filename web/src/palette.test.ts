import { describe, expect, it } from "vitest";

import { markedPieces, matching } from "./palette";

describe("the palette", () => {
  const choices = ["Fix the parser", "Why does the parser loop", "Parser speed"].map((title) => ({
    id: title,
    title,
    hint: "mulligan",
    href: "/",
  }));

  it("wants every word, in the title or the hint", () => {
    expect(matching(choices, "mull LOOP").map((each) => each.title)).toEqual(["Why does the parser loop"]);
    expect(matching(choices, "nothing")).toEqual([]);
  });

  it("puts titles first that begin with what was typed", () => {
    expect(matching(choices, "parser")[0]?.title).toBe("Parser speed");
  });
});

it("marks cut a text into pieces that give it again", () => {
  const pieces = markedPieces("the invoice parser", [
    [4, 10],
    [12, 16],
  ]);
  expect(pieces.map((each) => each.text).join("")).toBe("the invoice parser");
  expect(pieces.filter((each) => each.marked).map((each) => each.text)).toEqual(["invoic", "pars"]);
});
