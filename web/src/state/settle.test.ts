import { describe, expect, it } from "vitest";

import type { Frame } from "../api/types";
import { foldAll, fromDetail } from "./fold";
import { SENDING, newest, prompt, put, sendingMessage } from "./messages";
import { CHAT, NOW, detailOf, numbered, retries, says, start, step, storedMessage, wholeTurn } from "./samples";
import { settleAfter, settled, whatToLoad, withEarlier } from "./settle";

const before = storedMessage({ id: "u0", seq: 0, role: "user" });
const empty = fromDetail(detailOf({ messages: [before], earlier: true }), NOW);
const sending = (seq: number, text: string) => prompt({ id: SENDING, chatId: CHAT, seq, text }, NOW);

describe("a turn that has ended", () => {
  const ended = foldAll(empty, numbered(wholeTurn), NOW);
  const stored = [
    storedMessage({ id: "u1", seq: 1, role: "user" }),
    storedMessage({ id: "m1", seq: 2, role: "assistant" }),
    storedMessage({ id: "s1", seq: 3, role: "system" }),
  ];

  it("is loaded from the user's message on", () => {
    expect(settleAfter(ended)).toBe(0);
  });

  it("is replaced by what is stored, and earlier messages stay", () => {
    const state = settled(ended, detailOf({ messages: stored, seq: 30, earlier: true }), 0, NOW);
    expect(state.messages).toEqual([before, ...stored]);
    expect(state.messages[0]).toBe(before);
    expect(state.seq).toBe(30);
  });

  it("keeps its notices, and that there are earlier messages", () => {
    const noticed = foldAll(empty, numbered([start, step(1), says("x"), retries(1)]), NOW);
    const state = settled(noticed, detailOf({ messages: stored, seq: 30 }), 0, NOW);
    expect(state.notices).toHaveLength(1);
    expect(state.detail.earlier).toBe(true);
  });

  it("takes in a turn that has begun since", () => {
    const live = numbered([{ ...start, message_id: "m2", seq: 5, prompt: "And?" }, says("New", "m2")], 40);
    const state = settled(ended, detailOf({ messages: stored, live, seq: 41 }), 0, NOW);
    expect(state.messages.map((each) => each.id)).toEqual(["u0", "u1", "m1", "s1", "prompt-m2", "m2"]);
    expect(state.busy).toBe(true);
  });
});

describe("a message on its way", () => {
  const state = { ...empty, messages: put(empty.messages, sending(1, "Why?")), busy: true };

  it("is replaced by the one the server announces, wherever that is", () => {
    const folded = foldAll(state, numbered([{ ...start, seq: 4 }]), NOW);
    expect(folded.messages.map((each) => each.seq)).toEqual([0, 3, 4]);
    expect(sendingMessage(folded.messages)).toBeNull();
  });

  it("stays when what is stored does not have it yet", () => {
    const kept = settled(state, detailOf({ messages: [] }), settleAfter(state), NOW);
    expect(sendingMessage(kept.messages)).toEqual({ text: "Why?", images: [] });
    expect(kept.busy).toBe(true);
  });

  it("goes when what is stored has it", () => {
    const stored = storedMessage({ id: "u1", seq: 1, role: "user" });
    const gone = settled(state, detailOf({ messages: [stored] }), settleAfter(state), NOW);
    expect(gone.messages.map((each) => each.id)).toEqual(["u0", "u1"]);
  });

  it("is taken back when the work came to nothing", () => {
    const failed = foldAll(state, numbered([{ type: "work_failed", error: "no model" }]), NOW);
    expect(failed.messages).toEqual([before]);
  });
});

describe("earlier messages", () => {
  it("join at the front, each once", () => {
    const earlier = [-2, -1, 0].map((seq) => storedMessage({ id: `e${String(seq)}`, seq, role: "user" }));
    const state = withEarlier(empty, detailOf({ messages: earlier, earlier: false }));
    expect(state.messages.map((each) => each.seq)).toEqual([-2, -1, 0]);
    expect(state.messages.at(-1)).toBe(before);
    expect(state.detail.earlier).toBe(false);
  });

  it("know the newest place of none", () => {
    expect(newest([])).toBe(0);
  });
});

describe("what frames leave out", () => {
  const changed = (trimmed: boolean): Frame => ({ type: "chat_changed", trimmed });

  it.each<[string, readonly Frame[], ReturnType<typeof whatToLoad>]>([
    ["is nothing while a turn runs", [start, says("x")], null],
    ["is the newest turn, once it has ended", wholeTurn, "turn"],
    ["is the newest turn of a chat that has changed", [changed(false)], "turn"],
    ["is the whole chat, if messages have gone", [changed(true), ...wholeTurn], "chat"],
  ])("%s", (_, frames, wanted) => {
    expect(whatToLoad(frames)).toBe(wanted);
  });
});
