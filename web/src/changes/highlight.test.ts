import { describe, expect, it } from "vitest";

import { languageOf, linesOf, loadHighlighter, overlay } from "./highlight";

describe("highlighting", () => {
  it("goes by the file's name", () => {
    expect(["src/a.py", "web/App.tsx", "Makefile", "LICENSE"].map(languageOf)).toEqual([
      "python",
      "typescript",
      "makefile",
      null,
    ]);
  });

  it("cuts what spans lines, and keeps its colour", () => {
    const text = (value: string) => ({ type: "text", value });
    const string = { type: "element", properties: { className: ["hljs-string"] }, children: [text("'one\ntwo'")] };
    expect(linesOf({ type: "root", children: [text("x = "), string] })).toEqual([
      [
        { text: "x = ", look: "" },
        { text: "'one", look: "hljs-string" },
      ],
      [{ text: "two'", look: "hljs-string" }],
    ]);
  });

  it("colours code, and changes no letter of it", async () => {
    const code = "def a():\n    return '<b>'";
    const lines = (await loadHighlighter())(code, "python");
    expect(lines.map((line) => line.map(({ text }) => text).join("")).join("\n")).toBe(code);
    expect(lines[0]?.[0]).toEqual({ text: "def", look: "hljs-keyword" });
  });
});

it("marks changed words within colours", () => {
  const tokens = [
    { text: "return", look: "k" },
    { text: " 'ab'", look: "s" },
  ];
  const words = [
    { text: "return '", changed: false },
    { text: "ab", changed: true },
    { text: "'", changed: false },
  ];
  expect(overlay(tokens, words)).toEqual([
    { text: "return", look: "k", changed: false },
    { text: " '", look: "s", changed: false },
    { text: "ab", look: "s", changed: true },
    { text: "'", look: "s", changed: false },
  ]);
});
