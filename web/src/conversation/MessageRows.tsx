import { useMemo } from "react";

import { RestoreMark } from "../checkpoints/RestoreMark";
import { AT_THE_END, marksBefore, questionsOf, withQuestions } from "../checkpoints/positions";
import { routes } from "../routes";
import type { ChatState } from "../state/chat";
import { ContinueOffer } from "./ContinueOffer";
import { EditOffer } from "./EditOffer";
import { sentinelOf, textOf } from "./messages";
import { MessageChunk, type Surroundings } from "./MessageChunk";
import { byMessage, layOut, newestSentinel, offersContinue, chunksOf } from "./rows";

/** All loaded messages, in blocks. */
export function MessageRows({ chatId, state }: { chatId: string; state: ChatState }) {
  const { messages, busy, detail } = state;
  const surroundings = useSurroundings(state);
  const shown = useMemo(() => chunksOf(layOut(messages)), [messages]);
  const newest = newestSentinel(messages);
  const sentinel = newest && !busy ? sentinelOf(newest) : null;
  const question = messages.findLast((each) => each.role === "user");
  const offer =
    sentinel?.kind === "only_reads" && question ? (
      <EditOffer projectId={detail.chat.project_id} chatId={chatId} question={textOf(question)} />
    ) : (
      sentinel &&
      offersContinue(sentinel) && (
        <ContinueOffer chatId={chatId} canContinue={detail.can_continue} refused={detail.continue_refused} />
      )
    );
  const stretched = shown.map(({ key, rows }) => {
    const offerOn = offer && rows.some(({ message }) => message === newest) ? newest : null;
    return (
      <MessageChunk
        key={key}
        rows={rows}
        surroundings={surroundings}
        offerOn={offerOn}
        offer={offerOn && offer}
      />
    );
  });
  const marks = surroundings.marksOf.get(AT_THE_END) ?? [];
  return (
    <>
      {stretched}
      {marks.map((mark) => (
        <RestoreMark key={mark.id} mark={mark} />
      ))}
    </>
  );
}

/** What messages need in order to render. It stays the same while text streams. */
function useSurroundings({ messages, texts, notices, changes, detail }: ChatState): Surroundings {
  const noticesOf = useMemo(() => byMessage(notices, (notice) => notice.messageId), [notices]);
  const changesOf = useMemo(() => byMessage(changes, (change) => change.messageId), [changes]);
  const asked = useMemo(() => questionsOf(messages), [messages]);
  const checkpointsOf = useMemo(
    () => withQuestions(byMessage(detail.checkpoints, turnCheckpointOf), asked),
    [detail.checkpoints, asked],
  );
  const marksOf = useMemo(() => marksBefore(detail.restores, messages), [detail.restores, messages]);
  const changesHref = routes.changes(detail.chat.project_id);
  return useMemo(
    () => ({ texts, noticesOf, changesOf, checkpointsOf, marksOf, changesHref }),
    [texts, noticesOf, changesOf, checkpointsOf, marksOf, changesHref],
  );
}

function turnCheckpointOf(checkpoint: ChatState["detail"]["checkpoints"][number]): string | null {
  return checkpoint.kind === "turn" ? checkpoint.message_id : null;
}
