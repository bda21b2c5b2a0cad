import { describe, expect, it } from "vitest";

import { message, userMessage, sentinel, turn, words } from "./fixtures";
import { byMessage, foldRepeated, layOut, newestSentinel, offersContinue, sameRow, chunksOf } from "./rows";

const nudge = sentinel({ kind: "mistake_recovery", failure_kinds: [], count: 3, escalated: false }, 2);
const capHit = sentinel({ kind: "cap_hit", steps: 5, can_continue: true }, 5);
const answer = message({ parts: [words("Yes")] });

describe("layOut", () => {
  it("puts a sentinel that bent a turn into it, and one that stopped it below", () => {
    const [user, own, stop] = layOut([userMessage("Hello"), answer, nudge, capHit]);
    expect(user?.message.role).toBe("user");
    expect(own).toMatchObject({ message: answer, insets: [nudge], closing: capHit });
    expect(stop?.message).toBe(capHit);
  });

  it("puts it into the turn itself, not into the synthesis", () => {
    const synthesis = message({ metadata: turn({ parent_message_id: answer.id }) });
    const rows = layOut([answer, synthesis, nudge]);
    expect(rows.map((row) => row.insets.length)).toEqual([1, 0]);
  });

  it("shows a compaction that the user asked for on its own", () => {
    const meta = { how: "hidden", tokens_before: 2, tokens_after: 1, through_seq: 1, ledger_chars: 0, images: 0, images_left_out: 0 } as const;
    const compacted = sentinel({ kind: "compacted", ...meta, asked_for: true }, 1);
    expect(layOut([answer, compacted])).toHaveLength(2);
  });

  it("shows a sentinel whose turn is not loaded on its own", () => {
    expect(layOut([nudge, userMessage("Next")])).toHaveLength(2);
  });
});

describe("chunksOf", () => {
  const placed = (from: number, to: number) =>
    layOut(Array.from({ length: to - from + 1 }, (_, index) => userMessage("Hello", from + index)));

  it("keeps every row, in order", () => {
    const rows = placed(7, 95);
    expect(chunksOf(rows).flatMap((stretch) => stretch.rows)).toEqual(rows);
  });

  it("leaves a row where it was when earlier ones are loaded", () => {
    const before = chunksOf(placed(50, 95));
    const after = chunksOf(placed(1, 95));
    expect(after.slice(-before.length).map(({ key }) => key)).toEqual(before.map(({ key }) => key));
  });
});

describe("sameRow", () => {
  it("holds for the same messages laid out again, and not once one is new", () => {
    const [before] = layOut([answer, nudge]);
    const [again] = layOut([answer, nudge]);
    const [changed] = layOut([{ ...answer }, nudge]);
    const [bent] = layOut([answer]);
    expect(before && again && sameRow(before, again)).toBe(true);
    expect(before && changed && sameRow(before, changed)).toBe(false);
    expect(before && bent && sameRow(before, bent)).toBe(false);
  });
});

describe("Continue", () => {
  it("is on the newest sentinel", () => {
    const older = sentinel({ kind: "cap_hit", steps: 5, can_continue: true }, 5);
    expect(newestSentinel([answer, older, userMessage("On"), answer, capHit])).toBe(capHit);
  });

  it("is nowhere once a message follows", () => {
    expect(newestSentinel([answer, capHit, userMessage("Otherwise")])).toBeNull();
  });

  it("belongs to ends that a guard decided", () => {
    const escalated = { kind: "mistake_recovery", failure_kinds: [], count: 3, escalated: true } as const;
    expect(offersContinue({ kind: "cap_hit", steps: 1, can_continue: true })).toBe(true);
    expect(offersContinue({ ...escalated, failure_kinds: [], can_continue: false })).toBe(true);
    expect(offersContinue({ ...escalated, failure_kinds: [], escalated: false })).toBe(false);
    expect(offersContinue({ kind: "aborted" })).toBe(false);
  });
});

describe("byMessage", () => {
  it("leaves out what belongs to no message", () => {
    const found = byMessage([{ of: "a" }, { of: null }, { of: "a" }], (thing) => thing.of);
    expect([...found]).toEqual([["a", [{ of: "a" }, { of: "a" }]]]);
  });
});

describe("repeated sentinels", () => {
  it("are one card, the latest, with their number", () => {
    const nudge = (id: string) => ({ ...sentinel({ kind: "reply_cut", repeated: "x", count: 8 }), id });
    expect(foldRepeated([nudge("a"), nudge("b"), nudge("c")]).map(({ message, count }) => [message.id, count])).toEqual([
      ["c", 3],
    ]);
  });
});
