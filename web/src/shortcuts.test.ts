import { describe, expect, it } from "vitest";

import { commandFor } from "./shortcuts";

describe("keys", () => {
  const key = (name: string, given = {}) => ({ key: name, ctrlKey: false, metaKey: false, altKey: false, ...given });

  it.each([
    ["Ctrl+K, even while typing", key("k", { ctrlKey: true }), true, false, "palette"],
    ["Cmd+K", key("k", { metaKey: true }), false, false, "palette"],
    ["n", key("n"), false, false, "new"],
    ["n while typing", key("n"), true, false, null],
    ["Ctrl+C", key("c", { ctrlKey: true }), false, false, null],
    ["g", key("g"), false, false, "leader"],
    ["m after g", key("m"), false, true, "map"],
    ["m alone", key("m"), false, false, null],
    ["c after g", key("c"), false, true, "checkpoints"],
    ["c alone", key("c"), false, false, "changes"],
  ])("%s", (_, pressed, typing, afterLeader, command) => {
    expect(commandFor(pressed, typing, afterLeader)).toBe(command);
  });
});
