import { describe, expect, it } from "vitest";

import type { ChangeView, ChatView, RunView } from "../api/types";
import { byFile, groupByChat, idsOf, keepSettled, newestFirst, opensByItself, originsOf, totals, withStatus, undoOf } from "./lists";

function change(id: string, given: Partial<ChangeView> = {}): ChangeView {
  return {
    id,
    path: `${id}.py`,
    kind: "edit",
    status: "pending",
    seq: id.charCodeAt(0),
    chat_id: "chat",
    message_id: null,
    added: 1,
    removed: 0,
    notes: [],
    created_at: 0,
    updated_at: 0,
    ...given,
  };
}

const ids = (changes: readonly ChangeView[]) => changes.map(({ id }) => id).join("");

describe("keepSettled", () => {
  it("keeps what was settled in its place", () => {
    const before = [change("a"), change("b", { status: "applied" }), change("c")];
    expect(ids(keepSettled(before, [change("a"), change("c"), change("d")]))).toBe("abcd");
  });

  it("drops what is gone without having been settled", () => {
    expect(ids(keepSettled([change("a"), change("b")], [change("b")]))).toBe("b");
  });

  it("believes the server about what is pending", () => {
    const [only] = keepSettled([change("a", { status: "applied" })], [change("a")]);
    expect(only?.status).toBe("pending");
  });
});

describe("withStatus", () => {
  it("changes those that were settled", () => {
    const changes = withStatus([change("a"), change("b")], [{ id: "b", status: "rejected" }]);
    expect(changes.map(({ status }) => status)).toEqual(["pending", "rejected"]);
  });

  it("gives the same list where nothing is new", () => {
    const changes = [change("a")];
    expect(withStatus(changes, [{ id: "z", status: "applied" }, { id: "a", status: "pending" }])).toBe(changes);
  });
});

describe("groupByChat", () => {
  it("keeps the order of the changes and names the chats and runs they come from", () => {
    const chats = [{ id: "two", title: "Fix the totals" }] as ChatView[];
    const runs = [{ id: "run", state: { chat_id: "three", goal: "tests pass" } }] as RunView[];
    const changes = [
      change("a", { chat_id: "one" }),
      change("b", { chat_id: "two" }),
      change("c", { chat_id: "one" }),
      change("d", { chat_id: null }),
      change("e", { chat_id: "three" }),
    ];
    const groups = groupByChat(changes, originsOf("p", chats, runs));
    expect(groups.map(({ title, href, changes: own }) => [title, href, ids(own)])).toEqual([
      ["Untitled chat", null, "ac"],
      ["Fix the totals", "/p/p/c/two", "b"],
      ["No chat", null, "d"],
      ["Run: tests pass", "/p/p/runs/run", "e"],
    ]);
  });
});

describe("opensByItself", () => {
  const many = byFile(["a", "b", "c", "d", "e"].map((id) => change(id, { path: `${id}.py` })));

  it("opens all of a few", () => {
    const few = many.slice(0, 4);
    expect(few.map((each) => opensByItself(each, few))).toEqual([true, true, true, true]);
  });

  it("opens the first of many", () => {
    expect(many.map((each) => opensByItself(each, many))).toEqual([true, false, false, false, false]);
  });

  it("leaves settled ones folded", () => {
    const files = byFile([change("a", { status: "applied" }), change("b", { path: "b.py" })]);
    expect(files.map((each) => opensByItself(each, files))).toEqual([false, true]);
  });
});

it("sorts history by what happened last", () => {
  const changes = [change("a", { updated_at: 1 }), change("b", { updated_at: 3 }), change("c", { updated_at: 3 })];
  expect(ids(newestFirst(changes))).toBe("cba");
});

it("names those of one status", () => {
  expect(idsOf([change("a"), change("b", { status: "applied" })], "pending")).toEqual(["a"]);
});

it("adds up lines, also where there are none to compare", () => {
  const changes = [change("a", { added: 2, removed: 1 }), change("b", { added: null, removed: null })];
  expect(totals(changes)).toEqual({ added: 2, removed: 1 });
});

describe("byFile", () => {
  it("has one entry for all edits of a file by one chat", () => {
    const changes = [
      change("a", { path: "a.py", kind: "create" }),
      change("b", { path: "b.py" }),
      change("c", { path: "a.py" }),
      change("d", { path: "a.py", chat_id: "another" }),
    ];
    expect(byFile(changes).map(({ path, kind, changes: own }) => [path, kind, ids(own)])).toEqual([
      ["a.py", "create", "ac"],
      ["b.py", "edit", "b"],
      ["a.py", "edit", "d"],
    ]);
  });
});

describe("undoOf", () => {
  it("takes back what was done last", () => {
    const applied = change("a", { status: "applied", updated_at: 1 });
    const rejected = change("b", { status: "rejected", updated_at: 2 });
    expect(undoOf([applied, rejected, change("c")])).toEqual({ act: "reopen", ids: ["b"] });
    expect(undoOf([applied, change("c")])).toEqual({ act: "revert", ids: ["a"] });
    expect(undoOf([change("c"), change("d", { status: "reverted" })])).toBeNull();
  });
});
