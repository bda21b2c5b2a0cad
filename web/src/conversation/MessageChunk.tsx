import { memo, type ReactNode } from "react";

import type { SchemaRestoreMarkView as RestoreMarkView } from "../api/schema";
import type { ChangeInChat, Notice } from "../state/chat";
import type { Checkpoint, Message } from "./messages";
import { MessageRow } from "./MessageRow";
import { type Row, sameRow } from "./rows";

export interface Surroundings {
  texts: Readonly<Record<string, string>>;
  noticesOf: ReadonlyMap<string, readonly Notice[]>;
  changesOf: ReadonlyMap<string, readonly ChangeInChat[]>;
  checkpointsOf: ReadonlyMap<string, readonly Checkpoint[]>;
  marksOf: ReadonlyMap<string, readonly RestoreMarkView[]>;
  changesHref: string;
}

interface Props {
  rows: readonly Row[];
  surroundings: Surroundings;
  /** The sentinel that offers something, and its offer. */
  offerOn: Message | null;
  offer: ReactNode;
}

const NONE: readonly never[] = [];

/** Consecutive messages. The browser lays them out only when they come near; React renders them only if one changed. */
export const MessageChunk = memo(
  function MessageChunk({ rows, surroundings, offerOn, offer }: Props) {
    const { texts, noticesOf, changesOf, checkpointsOf, marksOf, changesHref } = surroundings;
    return (
      <div className="message-chunk">
        {rows.map((row) => {
          const { id, seq } = row.message;
          return (
            <MessageRow
              // Not the id: a message that is being sent only gets its id when the server knows it.
              key={seq}
              row={row}
              texts={texts}
              notices={noticesOf.get(id) ?? NONE}
              changes={changesOf.get(id) ?? NONE}
              changesHref={changesHref}
              checkpoint={checkpointsOf.get(id)?.[0]}
              marks={marksOf.get(id) ?? NONE}
              offer={row.message === offerOn ? offer : null}
            />
          );
        })}
      </div>
    );
  },
  (before, now) =>
    before.surroundings === now.surroundings &&
    before.offerOn === now.offerOn &&
    before.offer === now.offer &&
    before.rows.length === now.rows.length &&
    now.rows.every((row, index) => {
      const known = before.rows[index];
      return known !== undefined && sameRow(known, row);
    }),
);
