import { describe, expect, it } from "vitest";

import type { AgentView, ModelsView } from "./api/types";
import { agentFor, agentOptions, modeOf, modelOptions, modelSentence, whyNotSend } from "./composing";

function agent(name: string, more: Partial<AgentView> = {}): AgentView {
  return { name, description: "", kind: "native", writes: false, here: true, install: "", source: "", tools: [], ...more };
}

const agents = [
  agent("architect", { description: "Plans changes. Reads only." }),
  agent("coder", { writes: true }),
  agent("default"),
  agent("goose", { kind: "external", writes: true, here: false }),
  agent("qwen", { kind: "external", writes: true }),
];

const none: ModelsView = {
  chosen: null,
  server: null,
  agency: null,
  setup: "missing",
  problem: "",
  set_server: null,
  looked_for: [],
  found: [],
  embedded: [],
  models_folder: "/home/ada/.mulligan/models",
  engine: { version: "1", install: "" },
  services: [],
  profiles: [],
};

describe("the composer", () => {
  const ready = { text: "Why?", busy: false, elsewhere: false, sending: false, adding: false, connection: "open" } as const;

  it.each([
    ["sends what is written", ready, null],
    ["sends nothing where nothing is written", { ...ready, text: " \n" }, ""],
    ["waits for a turn", { ...ready, busy: true }, "A turn is running. Stop it, or wait until it has ended."],
    ["waits for a connection", { ...ready, connection: "lost" as const }, "Not connected. Your draft is saved."],
    ["waits for a model", { ...ready, noModel: true }, "Choose a model first. Your draft is saved."],
  ])("%s", (_, situation, why) => {
    expect(whyNotSend(situation)).toBe(why);
  });

  it("offers agents by what they may do, each with a line, and only counts those that are not installed", () => {
    expect(agentOptions(agents)).toEqual({
      reading: [
        { value: "architect", label: "architect: Plans changes" },
        { value: "default", label: "default" },
      ],
      editing: [{ value: "coder", label: "coder" }],
      external: [{ value: "qwen", label: "qwen" }],
      missing: 1,
    });
  });

  it.each([
    ["to edit", "edit", "default", "coder"],
    ["to ask, as it is set", "ask", "architect", "architect"],
    ["to ask, where the agent that is set edits", "ask", "coder", "default"],
  ] as const)("switches %s", (_, mode, defaultAgent, name) => {
    expect(agentFor(mode, agents, defaultAgent)).toBe(name);
  });

  it.each([
    ["an agent that writes", "coder", agents, null, "edit"],
    ["an agent that reads", "architect", agents, null, "ask"],
    ["what was remembered, before agents are loaded", "qwen", [], { agent: "qwen", mode: "edit" }, "edit"],
    ["no agent at all", null, [], null, "ask"],
  ] as const)("knows the mode of %s", (_, name, known, remembered, mode) => {
    expect(modeOf(name, known, remembered)).toBe(mode);
  });

  it("says which model answers, and never that one does which is not here", () => {
    const chosen = { ...none, chosen: "qwen", server: "http://x", setup: "ready" } as const;
    expect(modelSentence(chosen)).toBe("Answers come from qwen at http://x.");
    expect(modelSentence({ ...chosen, chosen: "embedded:tiny", server: "embedded" })).toBe(
      "Answers come from tiny, which runs on this machine.",
    );
    expect(modelSentence({ ...none, chosen: "embedded:tiny", server: "embedded" })).toBe("No model can answer yet.");
  });

  it("offers no model that would have to be downloaded", () => {
    const tiny = { name: "embedded:tiny", title: "Tiny", size: 2, begun: 0, downloading: false, memory: 1, default: true };
    const embedded = [{ ...tiny, present: false }];
    expect(modelOptions({ ...none, embedded }).embedded).toEqual([]);
    expect(modelOptions({ ...none, embedded: [{ ...tiny, present: true }] }).embedded).toHaveLength(1);
  });
});
