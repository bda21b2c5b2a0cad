import { type SyntheticEvent, useState } from "react";
import { useLocation } from "wouter";

import type { ChatView } from "../api/types";
import { useAttempt } from "../conversation/useAttempt";
import { type Shown, routes } from "../routes";
import { chatManagement, exportHref } from "../state/chatManagement";
import { Button } from "./Button";
import { Dialog } from "./Dialog";

interface Props {
  chat: ChatView;
  shown: Shown;
  onClose: () => void;
}

/** Actions on a whole chat. */
export function ChatDialog({ chat, shown, onClose }: Props) {
  const [title, setTitle] = useState(chat.title);
  const { problem, underWay, attempt } = useAttempt();
  const [, navigate] = useLocation();
  const rename = (event: SyntheticEvent) => {
    event.preventDefault();
    attempt(async () => {
      await chatManagement.rename(chat.id, title);
      onClose();
    });
  };
  return (
    <Dialog title="Chat" className="chat-dialog" onClose={onClose}>
      <form className="chat-dialog-name" onSubmit={rename}>
        <label>
          Name
          <input
            type="text"
            data-first-focus
            value={title}
            maxLength={200}
            onChange={(event) => {
              setTitle(event.target.value);
            }}
          />
        </label>
        <Button submit disabled={underWay || title.trim() === "" || title === chat.title}>
          Rename
        </Button>
      </form>
      <div className="card-buttons">
        <Button
          icon="flag"
          disabled={underWay}
          onClick={() => {
            attempt(async () => {
              await chatManagement.pin(chat.id, !chat.pinned);
              onClose();
            });
          }}
        >
          {chat.pinned ? "Unpin" : "Pin to the top"}
        </Button>
        <a className="button button-plain" href={exportHref(chat.id, "markdown")} download>
          Export as Markdown
        </a>
        <a className="button button-plain" href={exportHref(chat.id, "json")} download>
          Export as JSON
        </a>
      </div>
      <div className="chat-dialog-delete">
        <Button
          look="danger"
          icon="trash"
          disabled={underWay || chat.busy}
          onClick={() => {
            attempt(async () => {
              await chatManagement.remove(chat.project_id, chat.id);
              onClose();
              if (shown.id === chat.id) navigate(routes.project(chat.project_id));
            });
          }}
        >
          Delete
        </Button>
        <p>
          {chat.busy
            ? "A turn is running: stop it first."
            : "You can restore it for seven days. Its pending changes stay pending."}
        </p>
      </div>
      {problem && <p role="alert">{problem}</p>}
    </Dialog>
  );
}
