import { describe, expect, it } from "vitest";

import type { SchemaRestorePreview as RestorePreview } from "../api/schema";
import type { CheckpointView } from "../api/types";
import { setSampleWords } from "../state/wordSamples";
import { isIdle, nameOf, newestFirst, resultWords, safetyOf } from "./words";

function checkpoint(id: string, given: Partial<CheckpointView> = {}): CheckpointView {
  return {
    id,
    seq: 1,
    session_id: "session",
    chat_id: null,
    message_id: null,
    label: "",
    kind: "turn",
    worktree: false,
    created_at: 1,
    ...given,
  };
}

describe("safetyOf", () => {
  const restored = checkpoint("restored");

  it("finds the newest of the same session", () => {
    const all = [
      restored,
      checkpoint("older", { kind: "safety", created_at: 2 }),
      checkpoint("newest", { kind: "safety", created_at: 3 }),
      checkpoint("other", { kind: "safety", created_at: 4, session_id: "another" }),
      checkpoint("turn", { created_at: 5 }),
    ];
    expect(safetyOf(restored, all)?.id).toBe("newest");
  });

  it("finds none where none was made", () => {
    expect(safetyOf(restored, [restored])).toBeNull();
  });

  it("does not lead back to what was just restored", () => {
    const safety = checkpoint("safety", { kind: "safety" });
    expect(safetyOf(safety, [safety])).toBeNull();
  });
});

it("lists those made last first, also within a second", () => {
  const all = [checkpoint("a"), checkpoint("b", { seq: 2 }), checkpoint("c", { created_at: 5 })];
  expect(newestFirst(all).map(({ id }) => id)).toEqual(["c", "b", "a"]);
});

it("names one without a label by its kind", () => {
  setSampleWords();
  expect(nameOf(checkpoint("a"))).toBe("Before a turn");
  expect(nameOf(checkpoint("a", { label: "as it was" }))).toBe("as it was");
});

describe("isIdle", () => {
  const nothing: RestorePreview = {
    checkpoint: checkpoint("a"),
    writes: [],
    creates: [],
    deletes: [],
    left_alone: ["big.bin: larger than 20 MB"],
    head_moves: false,
    head: "stays",
    set_aside: [],
    branches: [],
    diffs: [],
    messages: 0,
    rejects: [],
  };

  it.each([
    ["nothing changes", {}, true],
    ["a file is written", { writes: ["a.py"] }, false],
    ["HEAD moves", { head_moves: true }, false],
    ["messages go", { messages: 2 }, false],
  ])("says so when %s", (_, given, expected) => {
    expect(isIdle({ ...nothing, ...given })).toBe(expected);
  });
});

describe("resultWords", () => {
  const result = { checkpoint_id: "a", messages_deleted: 0, worktree_reset: true, backend_reset: false };

  const files = "The files were restored.";

  it.each([
    ["files", result, false, files],
    ["no files", { ...result, worktree_reset: false }, false, "No file had to be changed."],
    ["messages", { ...result, messages_deleted: 1 }, false, `${files} This removed 1 message from the chat.`],
    ["an agent", { ...result, backend_reset: true }, false, `${files} The agent starts a new session with the next message.`],
    ["an undo", result, true, "The restore was undone. Files and chat are as they were before it."],
  ])("tells of %s", (_, given, undoes, words) => {
    expect(resultWords(given, undoes)).toBe(words);
  });
});
