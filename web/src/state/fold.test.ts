import { describe, expect, it } from "vitest";

import type { Ask, Frame, Message, Part } from "../api/types";
import { type ChatState, foldAll, foldEnvelope, fromDetail, mergeDeltas } from "./fold";
import {
  NOW,
  PROJECT,
  calls,
  completes,
  detailOf,
  ends,
  numbered,
  raises,
  retries,
  says,
  start,
  step,
  storedMessage,
  thinks,
  turnMeta,
  wholeTurn,
} from "./samples";

const empty = fromDetail(detailOf(), NOW);

function after(...frames: Frame[]): ChatState {
  return foldAll(empty, numbered(frames), NOW);
}

function streaming(text: string): Message {
  const parts: Part[] = [{ kind: "text", text, by_mulligan: false }];
  return storedMessage({ id: "m1", seq: 2, role: "assistant", status: "streaming", parts });
}

function partsOf(state: ChatState, id = "m1") {
  return state.messages.find((each) => each.id === id)?.parts ?? [];
}

function wordsOf(state: ChatState, id = "m1"): string {
  return partsOf(state, id)
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join("");
}

describe("a turn built from frames", () => {
  it("shows the user's message right before the answer", () => {
    const state = after(start);
    expect(state.messages.map(({ seq, role, status }) => [seq, role, status])).toEqual([
      [1, "user", "complete"],
      [2, "assistant", "streaming"],
    ]);
    expect(wordsOf(state, "prompt-m1")).toBe("Why?");
    expect(state.busy).toBe(true);
  });

  it("keeps the user's message if it is already stored", () => {
    const stored = storedMessage({ id: "u1", seq: 1, role: "user" });
    const state = foldAll(fromDetail(detailOf({ messages: [stored] }), NOW), numbered([start]), NOW);
    expect(state.messages[0]).toBe(stored);
    expect(state.messages).toHaveLength(2);
  });

  it("has the parts in the shapes in which they are stored", () => {
    const state = after(...wholeTurn);
    expect(partsOf(state).map((part) => part.kind)).toEqual([
      "step_start",
      "reasoning",
      "text",
      "tool_call",
      "tool_call",
      "tool_result",
      "tool_result",
      "step_start",
      "text",
    ]);
    expect(wordsOf(state)).toBe("I look at it.Because of a.py.");
  });

  it("drops what streamed in a step whose reply is asked for again, and says so", () => {
    const state = after(start, step(1), says("kept"), step(2), thinks("no"), says("gone"), retries(2));
    expect(wordsOf(state)).toBe("kept");
    expect(partsOf(state).at(-1)).toMatchObject({ kind: "step_start", step: 2 });
    expect(state.notices).toEqual([
      { id: "7", messageId: "m1", text: "Attempt 1 of 3 failed, asking again in 1 s: the reply was cut off." },
    ]);
  });

  it("knows since when a word is awaited, and how far the prompt is read", () => {
    const reads: Frame = { type: "prompt_progress", message_id: "m1", processed: 5, total: 9, seconds_left: null };
    expect(after(start, step(1), reads).waiting).toMatchObject({ messageId: "m1", read: { processed: 5, total: 9 } });
    expect(after(start, step(1), reads, says("x")).waiting).toMatchObject({ messageId: "m1", read: null });
    expect(after(start, step(1), calls("c1")).waiting).toBeNull();
    expect(after(start, step(1), says("x"), completes(), ends).waiting).toBeNull();
  });

  it("keeps only the frame's text of a trimmed step", () => {
    const trimmed: Frame = { type: "reply_trimmed", message_id: "m1", step: 1, text: "once" };
    const state = after(start, step(1), thinks("hm"), says("once once once"), trimmed);
    expect(partsOf(state)).toMatchObject([{ kind: "step_start" }, { kind: "text", text: "once" }]);
  });

  it("leaves nothing of a synthesis that is discarded", () => {
    const state = after(
      start,
      { type: "message_start", message_id: "m2", parent_message_id: "m1", seq: 3 },
      says("draft", "m2"),
      { type: "reply_trimmed", message_id: "m2", step: 0, text: "" },
      completes("failed", "m2"),
    );
    expect(partsOf(state, "m2")).toEqual([]);
    expect(state.messages.at(-1)).toMatchObject({ status: "failed", metadata: { parent_message_id: "m1", model: "tiny" } });
  });

  it("ends with its reason in the message, and is not busy any more", () => {
    const state = after(...wholeTurn);
    expect(state.busy).toBe(false);
    expect(state.messages.find((each) => each.id === "m1")).toMatchObject({
      status: "complete",
      metadata: { stop_reason: "answered", explanation: "The model answered.", steps: 2, duration_ms: 900 },
    });
  });

  it("puts a sentinel in its place, with its sentence", () => {
    const state = after(start, raises);
    expect(state.messages.map((each) => each.id)).toEqual(["prompt-m1", "m1", "s1"]);
    expect(state.texts).toEqual({ s1: "Used up its 20 steps." });
  });

  it("tells how full the context is", () => {
    expect(after(...wholeTurn).detail.context).toEqual({ tokens: 700, length: 1000, parts: null, estimated: false });
  });

  it("offers to continue until the next turn begins", () => {
    const capped: Frame = { ...ends, stop_reason: "step_cap", can_continue: true };
    const state = after(start, capped);
    expect(state.detail.can_continue).toBe(true);
    expect(foldAll(state, numbered([start], 10), NOW).detail.can_continue).toBe(false);
  });

  it("shows why work came to nothing", () => {
    const state = after(start, { type: "work_failed", error: "the server is gone" });
    expect(state).toMatchObject({ busy: false, error: "the server is gone" });
  });

  it("says what a checkpoint does not hold, and nothing of a whole one", () => {
    const whole: Frame = { type: "checkpoint", message_id: "m1", checkpoint_id: "k", not_covered: [], pruned: 0 };
    expect(after(start, whole).notices).toEqual([]);
    const broken: Frame = { ...whole, type: "checkpoint", checkpoint_id: null, problem: "no space left" };
    expect(after(start, broken).notices[0]?.text).toBe("No checkpoint was taken: no space left");
  });
});

describe("changes and questions", () => {
  const change: Frame = {
    type: "change",
    change_id: "x",
    path: "a.py",
    kind: "edit",
    status: "pending",
    added: 2,
    removed: 1,
  };
  const applied: Frame = { type: "change_settled", change_id: "x", path: "a.py", kind: "edit", status: "applied" };
  const ask: Ask = { id: "q", project_id: PROJECT, what: "make", reason: "it runs a program", can_remember: false, is_command: true, removes: false, opens: [], rule: "", asked_at: 0 };

  it("belong to the message that streams", () => {
    expect(after(start, change).changes).toMatchObject([{ change_id: "x", messageId: "m1", status: "pending" }]);
  });

  it("are settled by a frame of the project, and are pending no more", () => {
    const pending = after(start, change, { ...ends, pending: 1 });
    const [envelope] = numbered([applied], 50);
    const state = foldAll(pending, envelope ? [{ ...envelope, chat_id: null }] : [], NOW);
    expect(state.changes[0]?.status).toBe("applied");
    expect(state.detail.pending).toBe(0);
  });

  it("appear once, however many frames announce them, and go when they are settled", () => {
    const asked = after({ type: "asked", ask }, { type: "asked", ask });
    expect(asked.asks).toEqual([ask]);
    const settled: Frame = { type: "ask_settled", ask_id: "q", granted: true };
    expect(foldAll(asked, numbered([settled], 10), NOW).asks).toEqual([]);
  });
});

describe("nothing lost, nothing twice", () => {
  const envelopes = numbered(wholeTurn);
  const whole = foldAll(empty, envelopes, NOW);

  it("gives the same whether frames come one by one or all at once", () => {
    const single = envelopes.reduce((state, each) => foldEnvelope(state, each, NOW), empty);
    expect(single).toEqual(whole);
  });

  it("ignores frames that were folded before", () => {
    expect(foldAll(whole, envelopes, NOW)).toBe(whole);
  });

  it("ignores frames of another chat", () => {
    const other = envelopes.map((each) => ({ ...each, chat_id: "other" }));
    expect(foldAll(empty, other, NOW)).toBe(empty);
  });

  it.each(envelopes.map((each) => each.seq))("gives the same for a page that loads after frame %i", (loadedAt) => {
    const live = mergeDeltas(envelopes.slice(0, loadedAt));
    // The stored parts may be behind or ahead of the frames: they must not count.
    const row = { ...streaming("I lo"), metadata: turnMeta, created_at: NOW / 1000 };
    const loaded = fromDetail(detailOf({ messages: [row], live, seq: loadedAt }), NOW);
    // A few frames come over the socket that the answer has already.
    const state = foldAll(loaded, envelopes.slice(Math.max(0, loadedAt - 3)), NOW);
    expect(state.messages).toEqual(whole.messages);
    expect(state).toMatchObject({ texts: whole.texts, busy: whole.busy, notices: whole.notices });
  });

  it("keeps a message that is stored as ended when frames of its stream come after", () => {
    const done = { ...streaming("All."), status: "complete" as const };
    const loaded = fromDetail(detailOf({ messages: [done], live: envelopes.slice(0, 6), seq: 6 }), NOW);
    const state = foldAll(loaded, envelopes, NOW);
    expect(state.messages.find((each) => each.id === "m1")).toEqual(done);
    expect(state.busy).toBe(false);
  });

  it("resets a message that was loaded before its turn started", () => {
    const loaded = fromDetail(detailOf({ messages: [streaming("I")] }), NOW);
    const state = foldAll(loaded, numbered([start, says("I look")]), NOW);
    expect(wordsOf(state)).toBe("I look");
  });

  it("keeps what another process has written so far", () => {
    const loaded = fromDetail(detailOf({ messages: [streaming("So far")], elsewhere: true }), NOW);
    expect(wordsOf(loaded)).toBe("So far");
  });
});

describe("what is shown again", () => {
  it("is only the message that a frame touches", () => {
    const state = after(start, says("a"));
    const next = foldAll(state, numbered([says("b")], 10), NOW);
    expect(next.messages[0]).toBe(state.messages[0]);
    expect(next.messages[1]).not.toBe(state.messages[1]);
    expect(next.notices).toBe(state.notices);
    expect(next.detail).toBe(state.detail);
  });

  it("merges pieces of one text only while nothing else comes between", () => {
    const frames = [says("a"), says("b"), calls("c"), says("d"), says("e", "m2"), thinks("f", "m2")];
    expect(mergeDeltas(numbered(frames)).map(({ seq, frame }) => [seq, "text" in frame ? frame.text : ""])).toEqual([
      [2, "ab"],
      [3, ""],
      [4, "d"],
      [5, "e"],
      [6, "f"],
    ]);
  });
});
