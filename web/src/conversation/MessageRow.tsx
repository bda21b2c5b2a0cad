import { memo, type ReactNode } from "react";

import type { SchemaRestoreMarkView as RestoreMarkView } from "../api/schema";
import { RestoreMark } from "../checkpoints/RestoreMark";
import { UndoTurn } from "../checkpoints/UndoTurn";
import { fullTime } from "../time";
import type { Message } from "./messages";
import { UserMessage } from "./UserMessage";
import { sameRow } from "./rows";
import { SentinelCard } from "./SentinelCard";
import { Turn, type TurnProps } from "./Turn";

interface Props extends TurnProps {
  /** What the newest sentinel offers; null for all others. */
  offer: ReactNode;
  /** Restores before this message. */
  marks: readonly RestoreMarkView[];
}

/** One message. It renders again only if it changed, so that a long chat costs no more per token. */
export const MessageRow = memo(
  function MessageRow({ offer, marks, ...turn }: Props) {
    const { message } = turn.row;
    return (
      <>
        {marks.map((mark) => (
          <RestoreMark key={mark.id} mark={mark} />
        ))}
        <article className={`message message-${message.role}`} data-message data-seq={message.seq} tabIndex={-1} aria-label={labelOf(message)}>
          {message.role === "user" && turn.checkpoint && <UndoTurn checkpoint={turn.checkpoint} />}
          {message.role === "user" && <UserMessage message={message} />}
          {message.role === "assistant" && <Turn {...turn} />}
          {message.role === "system" && (
            <SentinelCard message={message} text={turn.texts[message.id] ?? ""}>
              {offer}
            </SentinelCard>
          )}
        </article>
      </>
    );
  },
  (before, now) =>
    sameRow(before.row, now.row) &&
    before.texts === now.texts &&
    before.notices === now.notices &&
    before.changes === now.changes &&
    before.changesHref === now.changesHref &&
    before.checkpoint === now.checkpoint &&
    before.marks === now.marks &&
    before.offer === now.offer,
);

const SPEAKERS: Readonly<Record<Message["role"], string>> = { user: "You", assistant: "Answer", system: "Note" };

function labelOf(message: Message): string {
  return `${SPEAKERS[message.role]}, ${fullTime(message.created_at)}`;
}
