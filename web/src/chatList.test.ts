import { expect, test } from "vitest";

import type { Ask, ChatView } from "./api/types";
import { pinnedFirst, tabMark } from "./chatList";

function chat(id: string, more: Partial<ChatView> = {}): ChatView {
  return {
    id,
    project_id: "p",
    title: id,
    agent: "default",
    external: false,
    busy: false,
    pinned: false,
    created_at: 0,
    updated_at: 0,
    ...more,
  };
}

function ask(chatId: string): Ask {
  return { id: chatId + "1", project_id: "p", chat_id: chatId, what: "", reason: "", is_command: true, removes: false, opens: [], can_remember: false, rule: "", asked_at: 0 };
}

test("pinned chats stand first, and the order stays", () => {
  const ids = pinnedFirst([chat("a"), chat("b", { pinned: true }), chat("c"), chat("d", { pinned: true })]);
  expect(ids.map((each) => each.id)).toEqual(["b", "d", "a", "c"]);
});

test("the tab says who waits before it says that something runs", () => {
  expect(tabMark([chat("a")], [])).toBe("");
  expect(tabMark([chat("a", { busy: true })], [])).toBe("… ");
  expect(tabMark([chat("a", { busy: true })], [ask("a"), ask("a"), ask("b")])).toBe("(2) asks you · ");
});
