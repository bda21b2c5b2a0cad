import { useState } from "react";

import type { QueuedMessage } from "../api/types";
import { useAttempt } from "../conversation/useAttempt";
import { chatManagement } from "../state/chatManagement";
import { Button } from "./Button";
import { GrowingField } from "./GrowingField";

interface Props {
  chatId: string;
  queued: readonly QueuedMessage[];
  busy: boolean;
}

/** Queued messages. The server keeps them, and sends the next one when the turn has ended well. */
export function QueuedMessages({ chatId, queued, busy }: Props) {
  const { problem, underWay, attempt } = useAttempt();
  if (queued.length === 0) return null;
  return (
    <section className="queued" aria-label="Queued messages">
      <p className="card-label">
        {busy
          ? "Sent when this turn ends normally"
          : "Not sent, because the last turn did not end normally"}
      </p>
      <ol>
        {queued.map((each) => (
          <Queued key={each.id} chatId={chatId} message={each} />
        ))}
      </ol>
      {!busy && (
        <Button
          look="primary"
          icon="send"
          disabled={underWay}
          onClick={() => {
            attempt(() => chatManagement.sendQueued(chatId));
          }}
        >
          Send the first now
        </Button>
      )}
      {problem && <p role="alert">{problem}</p>}
    </section>
  );
}

function Queued({ chatId, message }: { chatId: string; message: QueuedMessage }) {
  const { problem, underWay, attempt } = useAttempt();
  const [edited, setEdited] = useState<string | null>(null);
  const save = () => {
    const text = edited ?? "";
    attempt(async () => {
      await chatManagement.editQueued(chatId, message.id, text);
      setEdited(null);
    });
  };
  return (
    <li>
      {edited === null ? (
        <p className="queued-text">
          {message.text}
          {message.images.length > 0 && ` (${message.images.map((each) => each.name).join(", ")})`}
        </p>
      ) : (
        <GrowingField
          value={edited}
          aria-label="Queued message"
          autoFocus
          onChange={(event) => {
            setEdited(event.target.value);
          }}
          onKeyDown={(event) => {
            if (event.key === "Escape") setEdited(null);
            else if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) save();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      )}
      <span className="queued-buttons">
        {edited === null ? (
          <button
            type="button"
            className="text-button"
            onClick={() => {
              setEdited(message.text);
            }}
          >
            Edit
          </button>
        ) : (
          <button type="button" className="text-button" disabled={underWay || edited.trim() === ""} onClick={save}>
            Save
          </button>
        )}
        <button
          type="button"
          className="text-button"
          disabled={underWay}
          onClick={() => {
            attempt(() => chatManagement.removeQueued(chatId, message.id));
          }}
        >
          Remove
        </button>
      </span>
      {problem && <p role="alert">{problem}</p>}
    </li>
  );
}
