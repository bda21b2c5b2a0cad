import { useMemo } from "react";
import { Link } from "wouter";

import { api, call } from "../api/client";
import type { Envelope } from "../api/types";
import { plural } from "../conversation/amounts";
import { Fold } from "../conversation/Fold";
import { type Row, layOut } from "../conversation/rows";
import { Turn } from "../conversation/Turn";
import { routes } from "../routes";
import { type ChatState, fromDetail } from "../state/fold";
import { useLoaded } from "../state/loaded";
import { turnsOf } from "./turns";

interface Props {
  projectId: string;
  /** As the server knows them, oldest first. */
  chatIds: readonly string[];
  envelopes: readonly Envelope[];
  /** Its chats are not stored here: there are only frames. */
  elsewhere?: boolean;
}

/**
 * The coder's turns by attempt, folded: the commands are the evidence, not what the coder says. From frames while it
 * runs, from the store afterwards.
 */
export function CoderTurns({ projectId, chatIds, envelopes, elsewhere = false }: Props) {
  const live = useMemo(() => turnsOf(projectId, envelopes), [projectId, envelopes]);
  const ids = [...new Set([...chatIds, ...live.map(({ detail }) => detail.chat.id)])];
  return ids.map((id, index) => {
    const chat = live.find(({ detail }) => detail.chat.id === id);
    const state = chat && (chat.busy ? "running" : plural(answersOf(chat).length, "turn"));
    return (
      <Fold
        key={id}
        className="coder-turns"
        summary={
          <>
            Attempt {index + 1}
            {state && <span className="view-quiet"> {state}</span>}
          </>
        }
      >
        {() => (
          <>
            {chat ? <Answers projectId={projectId} chat={chat} /> : <Stored projectId={projectId} chatId={id} />}
            {!elsewhere && (
              <p className="view-quiet">
                <Link href={routes.chat(projectId, id)}>Open this conversation</Link>
              </p>
            )}
          </>
        )}
      </Fold>
    );
  });
}

function Stored({ projectId, chatId }: { projectId: string; chatId: string }) {
  const { data, problem } = useLoaded(chatId, async () => fromDetail(await loadChat(chatId)));
  if (problem) {
    return (
      <p className="view-problem" role="alert">
        {problem}
      </p>
    );
  }
  return data ? <Answers projectId={projectId} chat={data} /> : <p className="view-quiet">Loading…</p>;
}

function Answers({ projectId, chat }: { projectId: string; chat: ChatState }) {
  return answersOf(chat).map((row) => (
    <Turn
      key={row.message.id}
      row={row}
      texts={chat.texts}
      notices={chat.notices.filter(({ messageId }) => messageId === row.message.id)}
      changes={[]}
      changesHref={routes.changes(projectId)}
      checkpoint={undefined}
    />
  ));
}

function answersOf({ messages }: ChatState): Row[] {
  return layOut(messages).filter(({ message }) => message.role === "assistant");
}

function loadChat(chatId: string) {
  return call(api.GET("/api/chats/{chat_id}", { params: { path: { chat_id: chatId } } }));
}
