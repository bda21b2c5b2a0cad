import { describe, expect, it } from "vitest";

import { partialNameBefore, completed, worthShowing } from "./completing";

describe("the name that is partial before the cursor", () => {
  it.each([
    ["why @src/a", { start: 4, text: "@src/a" }],
    ["@", { start: 0, text: "@" }],
    ["(@Turn.ru", { start: 1, text: "@Turn.ru" }],
    ["/rev", { start: 0, text: "/rev" }],
    ["mail me@home", null],
    ["see /rev", null],
    ["@src/a.py and", null],
    ["/etc/hosts", null],
  ])("%s", (text, partial) => {
    expect(partialNameBefore(text, text.length)).toEqual(partial);
  });

  it("is looked for at the cursor, not at the end", () => {
    expect(partialNameBefore("see @tu in it", 7)).toEqual({ start: 4, text: "@tu" });
  });
});

describe("what it becomes", () => {
  it("takes the place of what was partial, with a space behind it", () => {
    const partial = { start: 4, text: "@tu" };
    expect(completed("see @tu", partial, "@turn.py")).toEqual({ text: "see @turn.py ", cursor: 13 });
    expect(completed("see @tu in it", partial, "@turn.py")).toEqual({ text: "see @turn.py in it", cursor: 12 });
  });

  it("leaves room to go on into a folder", () => {
    expect(completed("@sr", { start: 0, text: "@sr" }, "@src/")).toEqual({ text: "@src/", cursor: 5 });
  });
});

describe("what is worth showing", () => {
  const offers = (...names: string[]) => names.map((text) => ({ text }));

  it("puts a name that is whole first, and leaves out a folder that one is in", () => {
    expect(worthShowing(offers("@b.py", "@b"), "@b")).toEqual(offers("@b", "@b.py"));
    expect(worthShowing(offers("@src/", "@src/a.py"), "@src/")).toEqual(offers("@src/a.py"));
  });

  it("is nothing where the name is whole and no other begins so", () => {
    expect(worthShowing(offers("@a.py"), "@a.py")).toEqual([]);
  });
});
