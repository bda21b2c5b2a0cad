import { useRef, useState } from "react";
import { Link } from "wouter";

import type { ChangeView } from "../api/types";
import { plural } from "../conversation/amounts";
import { settleChanges } from "../state/changes";
import { ChangeCard } from "./ChangeCard";
import { GroupActs } from "./GroupActs";
import { LineCounts } from "./LineCounts";
import { type Group, type Origin, groupByChat, idsOf, opensByItself, totals } from "./lists";
import { useChangeKeys } from "./useChangeKeys";
import type { DiffLook } from "./useDiffLook";

interface Props {
  projectId: string;
  changes: readonly ChangeView[];
  look: DiffLook;
  /** With them, changes stand by chat; without, in the order given. */
  origins?: readonly Origin[];
}

/** Changes one below the other, each foldable. */
export function ChangeCards({ projectId, changes, look, origins }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<Readonly<Record<string, boolean>>>({});
  const isOpen = (change: ChangeView) => chosen[change.id] ?? opensByItself(change, changes);
  const set = (changeId: string, open: boolean) => {
    setChosen((before) => ({ ...before, [changeId]: open }));
  };
  const toggle = (changeId: string) => {
    const change = changes.find(({ id }) => id === changeId);
    if (change) set(changeId, !isOpen(change));
  };
  useChangeKeys(root, {
    onReach: (changeId) => {
      set(changeId, true);
    },
    onToggle: toggle,
    onAct: (act, changeId) => void settleChanges(projectId, act, [changeId]),
  });
  const cards = (shown: readonly ChangeView[]) => (
    <ul className="changes">
      {shown.map((change) => (
        <ChangeCard
          key={change.id}
          projectId={projectId}
          change={change}
          open={isOpen(change)}
          look={look}
          onToggle={toggle}
        />
      ))}
    </ul>
  );
  return (
    <div ref={root} className="changes-all">
      {origins
        ? groupByChat(changes, origins).map((group) => (
            <section key={group.chatId ?? ""} className="changes-group">
              <GroupHead projectId={projectId} group={group} />
              {cards(group.changes)}
            </section>
          ))
        : cards(changes)}
    </div>
  );
}

function GroupHead({ projectId, group: { title, href, changes } }: { projectId: string; group: Group }) {
  return (
    <header className="changes-group-head">
      <h2>{href ? <Link href={href}>{title}</Link> : title}</h2>
      <span className="changes-group-sum">
        {plural(changes.length, "change")} <LineCounts {...totals(changes)} />
      </span>
      <GroupActs projectId={projectId} ids={idsOf(changes, "pending")} whose={`of “${title}”`} />
    </header>
  );
}
