import { useState } from "react";
import { Link } from "wouter";

import type { ChatView } from "../api/types";
import { type Shown, routes } from "../routes";
import { useServer } from "../state/server";
import { ago, fullTime } from "../time";
import { useNow } from "../useNow";

const AT_FIRST = 40;

interface SidebarChatsProps {
  chats: readonly ChatView[] | undefined;
  shown: Shown;
}

export function SidebarChats({ chats, shown }: SidebarChatsProps) {
  const [all, setAll] = useState(false);
  const now = useNow(30_000);
  if (!chats) return <p className="sidebar-note">Loading chats…</p>;
  if (chats.length === 0) return <p className="sidebar-note">No chats yet.</p>;
  const listed = all ? chats : chats.slice(0, AT_FIRST);
  return (
    <>
      <h3 className="sidebar-heading">Chats</h3>
      <ul className="sidebar-chats">
        {listed.map((chat) => (
          <li key={chat.id}>
            <ChatLink chat={chat} current={shown.id === chat.id} now={now / 1000} />
          </li>
        ))}
      </ul>
      {listed.length < chats.length && (
        <button
          type="button"
          className="sidebar-more"
          onClick={() => {
            setAll(true);
          }}
        >
          Show all {chats.length}
        </button>
      )}
    </>
  );
}

function ChatLink({ chat, current, now }: { chat: ChatView; current: boolean; now: number }) {
  const asks = useServer((state) => state.asks.some((each) => each.chat_id === chat.id));
  return (
    <Link
      href={routes.chat(chat.project_id, chat.id)}
      className="sidebar-chat"
      aria-current={current ? "page" : undefined}
      title={chat.title}
    >
      <span className="sidebar-chat-title">{chat.title}</span>
      {asks ? (
        <span className="sidebar-chat-asks">asks you</span>
      ) : chat.busy ? (
        <span className="sidebar-chat-busy">
          <span className="visually-hidden">working</span>
        </span>
      ) : (
        <time className="sidebar-chat-time" title={fullTime(chat.updated_at)}>
          {ago(chat.updated_at, now)}
        </time>
      )}
    </Link>
  );
}
