import { useLocation } from "wouter";

import { Icon, type IconName } from "../icons";
import { routes } from "../routes";
import { chatManagement } from "../state/chatManagement";
import { get } from "../state/chatStore";
import { SENDING } from "../state/messages";
import { CopyButton } from "./CopyButton";
import { type Message, textOf } from "./messages";
import { lookAtResending, questionFor } from "./resending";
import { useAttempt } from "./useAttempt";

/** Actions on a message. */
export function MessageActions({ message }: { message: Message }) {
  const [, navigate] = useLocation();
  const { problem, underWay, attempt } = useAttempt();
  if (message.status === "streaming" || !isStored(message)) return null;
  const own = message.role === "user";
  const state = get(message.chat_id);
  const chat = state?.detail.chat;
  const question = questionFor(state?.messages ?? [], message);
  const text = textOf(message);
  return (
    <div className="message-actions" role="group" aria-label="Actions">
      {text !== "" && <CopyButton text={text} />}
      {own ? (
        <Action
          icon="edit"
          onClick={() => {
            lookAtResending(message, true);
          }}
        >
          Edit
        </Action>
      ) : (
        // Right after a turn, the server's id of its question may still be on the way.
        question &&
        isStored(question) && (
          <Action
            icon="retry"
            onClick={() => {
              lookAtResending(message, false);
            }}
          >
            Try again
          </Action>
        )
      )}
      {!own && chat && !chat.external && (
        <Action
          icon="run"
          disabled={underWay}
          onClick={() => {
            attempt(async () => {
              navigate(routes.chat(chat.project_id, await chatManagement.fork(chat.id, message.id)));
            });
          }}
        >
          Fork from here
        </Action>
      )}
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}

function isStored({ id }: Message): boolean {
  return id !== SENDING && !id.startsWith("prompt-");
}

interface ActionProps {
  icon: IconName;
  disabled?: boolean;
  onClick: () => void;
  children: string;
}

function Action({ icon, disabled = false, onClick, children }: ActionProps) {
  return (
    <button type="button" className="text-button" disabled={disabled} onClick={onClick}>
      <Icon name={icon} size={13} /> {children}
    </button>
  );
}
