import "../styles/views.css";
import "../styles/changes.css";

import { useMemo } from "react";

import { useChangeList } from "../state/changes";
import { ChangeCards } from "./ChangeCards";
import { GroupActs } from "./GroupActs";
import { idsOf } from "./lists";

/** The pending changes of one chat, next to the chat. */
export function ChangesPanel({ projectId, chatId }: { projectId: string; chatId: string }) {
  const { changes, problem } = useChangeList(projectId, "pending");
  const own = useMemo(() => changes?.filter((change) => change.chat_id === chatId), [changes, chatId]);
  if (!own) return <p className="view-empty">{problem ?? "Loading…"}</p>;
  if (own.length === 0) return <p className="view-empty">This chat has no pending changes.</p>;
  return (
    <div className="changes-panel">
      <div className="changes-everything">
        <GroupActs projectId={projectId} ids={idsOf(own, "pending")} whose="of this chat" main />
      </div>
      <ChangeCards projectId={projectId} changes={own} look="inline" />
    </div>
  );
}
