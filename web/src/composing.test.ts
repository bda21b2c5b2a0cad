import { describe, expect, it } from "vitest";

import type { AgentView, ModelsView } from "./api/types";
import { agentOptions, modelSentence, whyNotSend } from "./composing";

describe("the composer", () => {
  const ready = { text: "Why?", busy: false, elsewhere: false, sending: false, connection: "open" } as const;

  it.each([
    ["sends what is written", ready, null],
    ["sends nothing where nothing is written", { ...ready, text: " \n" }, ""],
    ["waits for a turn", { ...ready, busy: true }, "A turn is under way. Stop it, or wait until it has ended."],
    ["waits for a connection", { ...ready, connection: "lost" as const }, "Not connected. What you write is kept."],
  ])("%s", (_, situation, why) => {
    expect(whyNotSend(situation)).toBe(why);
  });

  it("can't choose an agent that is not installed, and says how to get it", () => {
    const goose: AgentView = {
      name: "goose",
      description: "",
      kind: "external",
      writes: true,
      here: false,
      install: "pipx install goose",
      source: "",
      tools: [],
    };
    expect(agentOptions([goose], "external")).toEqual([
      { value: "goose", label: "goose (not installed: pipx install goose)", disabled: true },
    ]);
    expect(agentOptions([{ ...goose, here: true }], "external")[0]).toMatchObject({ label: "goose", disabled: false });
    expect(agentOptions([goose], "native")).toEqual([]);
  });

  it("says which model answers, or how to get one", () => {
    const none: ModelsView = { chosen: null, server: null, agency: null, found: [], embedded: [], profiles: [] };
    const tiny = { name: "tiny", size: 1_200_000_000, memory: 1, present: false, default: true };
    expect(modelSentence({ ...none, chosen: "qwen", server: "http://x" })).toBe("Answers come from qwen at http://x.");
    expect(modelSentence({ ...none, embedded: [tiny] })).toMatch(/downloads tiny \(1\.2 GB\)/);
    expect(modelSentence(none)).toMatch(/Start a model server/);
  });
});
