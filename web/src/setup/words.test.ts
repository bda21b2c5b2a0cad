import { describe, expect, it } from "vitest";

import type { EmbeddedView, PullProgress } from "../api/types";
import { downloadWords, lookedForWords, pullWords } from "./words";

const model: EmbeddedView = {
  name: "embedded:tiny",
  title: "Qwen2.5-Coder 1.5B Instruct (Q4_K_M)",
  size: 1_117_000_000,
  begun: 0,
  downloading: false,
  memory: 2_000_000_000,
  present: false,
  default: true,
};

describe("the setup of a model", () => {
  it("says how large a download is, and what is left of one", () => {
    expect(downloadWords(model)).toBe("Download Qwen2.5-Coder 1.5B, 1.1 GB");
    expect(downloadWords({ ...model, begun: 617_000_000 })).toBe("Resume downloading Qwen2.5-Coder 1.5B, 500 MB left");
  });

  it("says what was found at a port and what was not", () => {
    expect(lookedForWords(null, 0)).toBe("not found");
    expect(lookedForWords("http://127.0.0.1:8080/v1", 1)).toBe("found, with 1 model");
  });

  it("says how a download ended", () => {
    const pull: PullProgress = { type: "pull", model: "tiny", done: 1, total: 2, state: "failed", words: "the disk is full" };
    expect(pullWords(pull)).toBe("The disk is full");
    expect(pullWords({ ...pull, state: "cancelled" })).toBe("Stopped. The part already downloaded is kept.");
    expect(pullWords({ ...pull, state: "under_way" })).toBeNull();
    expect(pullWords(undefined)).toBeNull();
  });
});
