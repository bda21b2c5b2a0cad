import { useState } from "react";
import { Link } from "wouter";

import type { ChatView } from "../api/types";
import { pinnedFirst } from "../chatList";
import { Icon } from "../icons";
import { type Shown, routes } from "../routes";
import { useServer } from "../state/server";
import { ago, fullTime } from "../time";
import { useNow } from "../useNow";
import { IconButton } from "./Button";
import { ChatDialog } from "./ChatDialog";
import { DeletedChats } from "./DeletedChats";

const AT_FIRST = 40;

interface SidebarChatsProps {
  chats: readonly ChatView[] | undefined;
  shown: Shown;
}

export function SidebarChats({ chats, shown }: SidebarChatsProps) {
  const [all, setAll] = useState(false);
  const [open, setOpen] = useState<string | null>(null);
  const now = useNow(30_000);
  if (!chats) return <p className="sidebar-note">Loading chats…</p>;
  const ordered = pinnedFirst(chats);
  const listed = all ? ordered : ordered.slice(0, AT_FIRST);
  const opened = chats.find((chat) => chat.id === open);
  return (
    <>
      <h3 className="sidebar-heading">Chats</h3>
      {chats.length === 0 && <p className="sidebar-note">No chats yet.</p>}
      <ul className="sidebar-chats">
        {listed.map((chat) => (
          <li key={chat.id} className="sidebar-chat-row">
            <ChatLink chat={chat} current={shown.id === chat.id} now={now / 1000} />
            <IconButton
              className="sidebar-chat-more"
              icon="more"
              label={`Rename, pin, export or delete ${chat.title}`}
              onClick={() => {
                setOpen(chat.id);
              }}
            />
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
      <DeletedChats key={shown.projectId} projectId={shown.projectId} />
      {opened && (
        <ChatDialog
          chat={opened}
          shown={shown}
          onClose={() => {
            setOpen(null);
          }}
        />
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
      {chat.pinned && (
        <span className="sidebar-chat-pin" title="Pinned">
          <Icon name="flag" size={12} />
          <span className="visually-hidden">Pinned: </span>
        </span>
      )}
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
