import { expect, test } from "vitest";

import { editorLink } from "./editor";

test("an editor is given the file and the line", () => {
  expect(editorLink("vscode://file/{path}:{line}", "/home/ada/my project/a#b.py", 12)).toBe(
    "vscode://file/home/ada/my%20project/a%23b.py:12",
  );
});

test("what would run in the page is no address of an editor", () => {
  for (const template of ["javascript:alert(1)//{path}", "data:text/html,{path}", "{path}"]) {
    expect(editorLink(template, "/a.py", 1)).toBeNull();
  }
});
