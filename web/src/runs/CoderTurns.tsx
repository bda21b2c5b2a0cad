import { useMemo } from "react";

import type { Envelope } from "../api/types";
import { plural } from "../conversation/amounts";
import { Fold } from "../conversation/Fold";
import { type Row, layOut } from "../conversation/rows";
import { Turn } from "../conversation/Turn";
import { routes } from "../routes";
import type { ChatState } from "../state/fold";
import { turnsOf } from "./turns";

interface Props {
  projectId: string;
  envelopes: readonly Envelope[];
}

/** What the coder said and did, an attempt at a time, folded: the commands tell whether it was any good. */
export function CoderTurns({ projectId, envelopes }: Props) {
  const chats = useMemo(() => turnsOf(projectId, envelopes), [projectId, envelopes]);
  return chats.map((chat, place) => (
    <Fold
      key={chat.detail.chat.id}
      className="coder-turns"
      summary={
        <>
          Attempt {place + 1}
          <span className="view-quiet"> {chat.busy ? "under way" : plural(answersOf(chat).length, "turn")}</span>
        </>
      }
    >
      {() =>
        answersOf(chat).map((row) => (
          <Turn
            key={row.message.id}
            row={row}
            texts={chat.texts}
            notices={chat.notices.filter(({ messageId }) => messageId === row.message.id)}
            changes={[]}
            changesHref={routes.changes(projectId)}
            checkpoint={undefined}
          />
        ))
      }
    </Fold>
  ));
}

function answersOf({ messages }: ChatState): Row[] {
  return layOut(messages).filter(({ message }) => message.role === "assistant");
}
