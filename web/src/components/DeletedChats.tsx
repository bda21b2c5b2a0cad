import { useState } from "react";

import type { DeletedChat } from "../api/types";
import { wordsFor } from "../api/client";
import { chatManagement } from "../state/chatManagement";
import { serverActions } from "../state/server";
import { fullTime } from "../time";

/** Deleted chats that can be restored. They are loaded when the list is opened. */
export function DeletedChats({ projectId }: { projectId: string }) {
  const [found, setFound] = useState<readonly DeletedChat[] | null>(null);
  const load = async () => {
    try {
      setFound(await chatManagement.deleted(projectId));
    } catch (thrown) {
      serverActions.toast(wordsFor(thrown));
    }
  };
  const restore = async (chatId: string) => {
    try {
      await chatManagement.restore(projectId, chatId);
    } catch (thrown) {
      serverActions.toast(wordsFor(thrown));
    }
    await load();
  };
  return (
    <details
      className="sidebar-deleted"
      onToggle={(event) => {
        if (event.currentTarget.open) void load();
      }}
    >
      <summary>Deleted chats</summary>
      {found?.length === 0 && <p className="sidebar-note">None.</p>}
      <ul>
        {found?.map((chat) => (
          <li key={chat.id}>
            <span title={`${chat.title}. Gone for good ${fullTime(chat.purged_at)}`}>{chat.title}</span>
            <button
              type="button"
              className="text-button"
              aria-label={`Restore ${chat.title}`}
              onClick={() => void restore(chat.id)}
            >
              Restore
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
