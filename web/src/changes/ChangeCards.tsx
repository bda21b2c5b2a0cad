import { useRef, useState } from "react";
import { Link } from "wouter";

import type { ChangeView } from "../api/types";
import { plural } from "../conversation/amounts";
import { settleChanges } from "../state/changes";
import { FileCard } from "./FileCard";
import { GroupActs } from "./GroupActs";
import { LineCounts } from "./LineCounts";
import { type FileChanges, type Group, type Origin, byFile, groupByChat, idsOf, opensByItself, totals, undoOf } from "./lists";
import { useChangeKeys } from "./useChangeKeys";
import type { DiffLook } from "./useDiffLook";

interface Props {
  projectId: string;
  changes: readonly ChangeView[];
  look: DiffLook;
  /** Group the changes by chat. Without it they stay in the given order. */
  origins?: readonly Origin[];
}

/** Files, one below the other, each foldable. */
export function ChangeCards({ projectId, changes, look, origins }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({});
  const files = byFile(changes);
  const isOpen = (file: FileChanges) => chosen[file.key] ?? opensByItself(file, files);
  const set = (key: string, open: boolean) => {
    setChosen((before) => ({ ...before, [key]: open }));
  };
  const find = (key: string) => files.find((file) => file.key === key);
  const toggle = (key: string) => {
    const file = find(key);
    if (file) set(key, !isOpen(file));
  };
  useChangeKeys(root, {
    onReach: (key) => {
      set(key, true);
    },
    onToggle: toggle,
    onSettle: (act, key) => void settleChanges(projectId, act, idsOf(find(key)?.changes ?? [], "pending")),
    onUndo: (key) => {
      const undo = undoOf(find(key)?.changes ?? []);
      if (undo) void settleChanges(projectId, undo.act, undo.ids);
    },
  });
  const cards = (shown: readonly ChangeView[]) => (
    <ul className="changes">
      {byFile(shown).map((file) => (
        <FileCard
          key={file.key}
          projectId={projectId}
          file={file}
          open={isOpen(file)}
          look={look}
          onToggle={toggle}
        />
      ))}
    </ul>
  );
  return (
    <div ref={root} className="changes-all">
      {origins
        ? groupByChat(changes, origins).map((group, _, all) => (
            <section key={group.chatId ?? ""} className="changes-group">
              <GroupHead projectId={projectId} group={group} alone={all.length === 1} />
              {cards(group.changes)}
            </section>
          ))
        : cards(changes)}
    </div>
  );
}

interface GroupHeadProps {
  projectId: string;
  group: Group;
  /** Its button is the primary one of the page. */
  alone: boolean;
}

function GroupHead({ projectId, group: { title, href, changes }, alone }: GroupHeadProps) {
  return (
    <header className="changes-group-head">
      <h2>{href ? <Link href={href}>{title}</Link> : title}</h2>
      <span className="changes-group-sum">
        {plural(changes.length, "change")} <LineCounts {...totals(changes)} />
      </span>
      <GroupActs projectId={projectId} ids={idsOf(changes, "pending")} whose={`of “${title}”`} main={alone} />
    </header>
  );
}
