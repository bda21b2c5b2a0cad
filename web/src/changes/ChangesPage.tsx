import "../styles/views.css";
import "../styles/changes.css";

import { useState } from "react";

import { useProject } from "../state/server";
import { type ChangeListName, useChangeList } from "../state/changes";
import { useRuns } from "../state/runs";
import { ChangeCards } from "./ChangeCards";
import { GroupActs } from "./GroupActs";
import { groupByChat, idsOf, newestFirst, originsOf } from "./lists";
import { Segmented } from "../components/Segmented";
import { type DiffLook, useDiffLook } from "./useDiffLook";

const LOOKS = [
  { value: "inline", words: "Inline" },
  { value: "split", words: "Side by side" },
  { value: "file", words: "Whole file" },
] as const;
const NARROW_LOOKS = [LOOKS[0], LOOKS[2]];

/** The pending changes of a project, and the history of settled ones. */
export function ChangesPage({ projectId }: { projectId: string }) {
  const [list, setList] = useState<ChangeListName>("pending");
  const { look, choice, choose } = useDiffLook();
  const { pending } = useProject(projectId);
  const choices = [
    { value: "pending", words: pending > 0 ? `Pending (${String(pending)})` : "Pending" },
    { value: "history", words: "History" },
  ] as const;
  return (
    <div className="view view-wide">
      <div className="view-bar">
        <Segmented label="Which changes" choices={choices} chosen={list} onChoose={setList} />
        <Segmented
          label="How to show diffs"
          choices={choice ? LOOKS : NARROW_LOOKS}
          chosen={look}
          onChoose={choose}
        />
        <p className="view-keys">
          <kbd>j</kbd> <kbd>k</kbd> file · <kbd>n</kbd> <kbd>p</kbd> hunk · <kbd>a</kbd> apply · <kbd>x</kbd> reject ·{" "}
          <kbd>u</kbd> undo
        </p>
      </div>
      {list === "pending" ? (
        <Pending projectId={projectId} look={look} />
      ) : (
        <History projectId={projectId} look={look} />
      )}
    </div>
  );
}

interface ShelfProps {
  projectId: string;
  look: DiffLook;
}

function Pending({ projectId, look }: ShelfProps) {
  const { changes, problem } = useChangeList(projectId, "pending");
  const { chats } = useProject(projectId);
  const runs = useRuns(projectId);
  if (!changes) return <NotLoaded problem={problem} />;
  if (changes.length === 0) {
    return (
      <p className="view-empty">
        No change is pending. Agents&rsquo; changes to your files appear here first, and nothing is written
        before you apply it.
      </p>
    );
  }
  const several = groupByChat(changes).length > 1;
  return (
    <>
      {several && (
        <div className="changes-everything">
          <GroupActs projectId={projectId} ids={idsOf(changes, "pending")} whose="of all chats" main />
        </div>
      )}
      <ChangeCards
        projectId={projectId}
        changes={changes}
        origins={originsOf(projectId, chats ?? [], runs ?? [])}
        look={look}
      />
    </>
  );
}

function History({ projectId, look }: ShelfProps) {
  const { changes, problem } = useChangeList(projectId, "history");
  if (!changes) return <NotLoaded problem={problem} />;
  if (changes.length === 0) return <p className="view-empty">Nothing applied or rejected yet.</p>;
  return <ChangeCards projectId={projectId} changes={newestFirst(changes)} look={look} />;
}

function NotLoaded({ problem }: { problem: string | undefined }) {
  return problem ? (
    <p className="view-problem" role="alert">
      {problem}
    </p>
  ) : (
    <p className="view-empty">Loading…</p>
  );
}
