import { describe, expect, it } from "vitest";

import type { SettingView } from "../api/types";
import { entered, fieldText, settingTitle, sourceWords } from "./rows";

const steps: SettingView = {
  place: ["steps"],
  group: "turns",
  kind: "integer",
  choices: [],
  help: "",
  value: 9,
  is_set: true,
  source: "personal",
  where: "/home/ada/.mulligan/mulligan.toml",
  fixed: "",
};

describe("a setting", () => {
  it.each([
    ["a number", "number", " 0.5 ", { value: 0.5 }],
    ["a whole number", "integer", "12", { value: 12 }],
    ["no whole number", "integer", "1.5", { problem: "Enter a whole number." }],
    ["no number", "number", "much", { problem: "Enter a number." }],
    ["nothing, which takes it away", "integer", " ", { value: null }],
    ["lines", "list", "make deploy\n\n git push ", { value: ["make deploy", "git push"] }],
    ["no line", "list", "\n", { value: null }],
    ["no", "boolean", "no", { value: false }],
    ["words", "text", "qwen3:8b", { value: "qwen3:8b" }],
  ] as const)("takes %s", (_, kind, text, entry) => {
    expect(entered(kind, text)).toEqual(entry);
  });

  it("is shown as it is entered", () => {
    expect(fieldText(steps)).toBe("9");
    expect(fieldText({ ...steps, kind: "list", value: ["a", "b"] })).toBe("a\nb");
    expect(fieldText({ ...steps, kind: "boolean", value: false })).toBe("no");
    expect(fieldText({ ...steps, kind: "secret", value: null })).toBe("");
  });

  it("has a name, and a place that it comes from", () => {
    expect(settingTitle(steps)).toBe("Steps");
    expect(settingTitle({ ...steps, place: ["models", "m", "top_p"] })).toBe("Top p");
    expect(sourceWords(steps)).toBe("your file");
    expect(sourceWords({ ...steps, source: "environment", where: "MULLIGAN_STEPS" })).toBe("MULLIGAN_STEPS");
    expect(sourceWords({ ...steps, source: "default", where: "" })).toBe("default");
  });
});
