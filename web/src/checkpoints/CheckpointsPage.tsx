import "../styles/views.css";
import "../styles/checkpoints.css";

import { useEffect } from "react";
import { Link } from "wouter";

import { api, call } from "../api/client";
import type { ChatView, CheckpointView } from "../api/types";
import { routes } from "../routes";
import { useLoaded } from "../state/loaded";
import { useProject } from "../state/server";
import { onEnvelopes } from "../state/socket";
import { fullTime } from "../time";
import { MakeCheckpoint } from "./MakeCheckpoint";
import { RestoreButton } from "./RestoreButton";
import { kindWords, nameOf, newestFirst } from "./words";

/** Checkpoints that files and chats can be restored to. */
export function CheckpointsPage({ projectId }: { projectId: string }) {
  const { project, chats } = useProject(projectId);
  const { data, problem, reload } = useLoaded(projectId, () => loadCheckpoints(projectId));
  useEffect(
    () =>
      onEnvelopes((envelopes) => {
        if (envelopes.some((each) => each.project_id === projectId && makesOrTakes(each.frame))) reload();
      }),
    [projectId, reload],
  );
  if (project && !project.git) {
    return (
      <div className="view">
        <p className="view-empty">
          Checkpoints need a git repository, and this project is not one. <code>git init</code> in its folder makes it one.
        </p>
      </div>
    );
  }
  return (
    <div className="view">
      <MakeCheckpoint projectId={projectId} onMade={reload} />
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
      {!data && !problem && <p className="view-empty">Loading…</p>}
      {data?.length === 0 && (
        <p className="view-empty">
          No checkpoints yet. Mulligan takes one before every turn of an agent that writes. You can also take one yourself.
        </p>
      )}
      {data && data.length > 0 && (
        <ul className="checkpoints">
          {newestFirst(data).map((checkpoint) => (
            <Line
              key={checkpoint.id}
              projectId={projectId}
              checkpoint={checkpoint}
              chat={chats?.find(({ id }) => id === checkpoint.chat_id)}
            />
          ))}
        </ul>
      )}
    </div>
  );
}

interface LineProps {
  projectId: string;
  checkpoint: CheckpointView;
  chat: ChatView | undefined;
}

function Line({ projectId, checkpoint, chat }: LineProps) {
  return (
    <li className="checkpoint">
      <time className="checkpoint-time" dateTime={new Date(checkpoint.created_at * 1000).toISOString()}>
        {fullTime(checkpoint.created_at)}
      </time>
      <div className="checkpoint-what">
        <p>{nameOf(checkpoint)}</p>
        <p className="view-quiet">
          {[checkpoint.label && kindWords(checkpoint.kind), checkpoint.worktree && "in an agent’s work tree"]
            .filter(Boolean)
            .join(", ")}
          {chat && (
            <>
              {" in "}
              <Link href={routes.chat(projectId, chat.id)}>{chat.title || "Untitled chat"}</Link>
            </>
          )}
        </p>
      </div>
      <RestoreButton checkpoint={checkpoint}>Restore</RestoreButton>
    </li>
  );
}

/** A restore saves the current state first. */
function makesOrTakes({ type, trimmed }: { type: string; trimmed?: boolean }): boolean {
  return type === "checkpoint" || type === "restore_step" || (type === "chat_changed" && trimmed === true);
}

function loadCheckpoints(projectId: string): Promise<CheckpointView[]> {
  return call(api.GET("/api/projects/{project_id}/checkpoints", { params: { path: { project_id: projectId } } }));
}
