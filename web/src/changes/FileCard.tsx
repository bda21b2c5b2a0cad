import type { MouseEvent } from "react";

import type { ChangeView } from "../api/types";
import { Button } from "../components/Button";
import { Icon, type IconName } from "../icons";
import { type Act, settleChanges, useRefusals, useUnderWay } from "../state/changes";
import { capitalized } from "../state/words";
import { ago, fullTime } from "../time";
import { useNow } from "../useNow";
import { Diff } from "./Diff";
import { EditorLink } from "./EditorLink";
import { LineCounts } from "./LineCounts";
import { type FileChanges, fileStatus, idsOf, totals, undoOf } from "./lists";
import type { DiffLook } from "./useDiffLook";

interface Props {
  projectId: string;
  file: FileChanges;
  open: boolean;
  look: DiffLook;
  onToggle: (key: string) => void;
}

/** All changes of one file: its name, actions, outcomes, and the diffs in order. */
export function FileCard({ projectId, file, open, look, onToggle }: Props) {
  const { key, path, kind, changes } = file;
  const refusals = useRefusals(changes.map(({ id }) => id));
  const status = fileStatus(changes);
  return (
    <li
      className={`change change-${status}`}
      data-file={key}
      data-status={status}
      tabIndex={-1}
      aria-label={`${kind} ${path}, ${status}`}
    >
      <div className="change-head">
        <button
          type="button"
          className="change-toggle"
          aria-expanded={open}
          onClick={() => {
            onToggle(key);
          }}
        >
          <Icon name={open ? "chevronDown" : "chevronRight"} />
          <span className="change-kind">{kind}</span>
          <span className="change-path">{path}</span>
        </button>
        <LineCounts {...totals(changes)} />
        <EditorLink projectId={projectId} path={path} />
        <Outcomes changes={changes} />
        <Acts projectId={projectId} file={file} />
      </div>
      {refusals.map((words) => (
        <p key={words} className="change-refusal" role="alert">
          <Icon name="warning" /> <span>{words}</span>
        </p>
      ))}
      {open && (
        <div className="change-body">
          {changes.map((change, index) => (
            <section key={change.id} className="change-edit">
              {changes.length > 1 && (
                <h3 className="change-edit-head">
                  Edit {index + 1} of {changes.length} <LineCounts added={change.added} removed={change.removed} />
                  <Outcome change={change} />
                </h3>
              )}
              <Diff projectId={projectId} change={change} look={look} several={changes.length > 1} />
            </section>
          ))}
        </div>
      )}
    </li>
  );
}

const ICONS: Readonly<Record<Exclude<ChangeView["status"], "pending">, IconName>> = {
  applied: "check",
  rejected: "close",
  reverted: "undo",
};

function Outcomes({ changes }: { changes: readonly ChangeView[] }) {
  const [only] = changes;
  if (changes.length === 1 && only) return <Outcome change={only} />;
  return (["applied", "rejected", "reverted"] as const).map((status) => {
    const count = idsOf(changes, status).length;
    if (count === 0) return null;
    return (
      <span key={status} className={`change-outcome change-outcome-${status}`}>
        <Icon name={ICONS[status]} /> {capitalized(status)}
        {count < changes.length && ` ${String(count)} of ${String(changes.length)}`}
      </span>
    );
  });
}

function Outcome({ change }: { change: ChangeView }) {
  const now = useNow(30_000) / 1000;
  if (change.status === "pending") return null;
  return (
    <span className={`change-outcome change-outcome-${change.status}`} title={fullTime(change.updated_at)}>
      <Icon name={ICONS[change.status]} /> {capitalized(change.status)}
      <span className="view-quiet">{ago(change.updated_at, now)}</span>
    </span>
  );
}

function Acts({ projectId, file: { path, changes } }: { projectId: string; file: FileChanges }) {
  const pending = idsOf(changes, "pending");
  const undo = undoOf(changes);
  const underWay = useUnderWay(...changes.map(({ id }) => id));
  const settle = (act: Act, ids: readonly string[]) => (event: MouseEvent<HTMLElement>) => {
    // The button disappears with its action, and the focus would be lost.
    event.currentTarget.closest<HTMLElement>("[data-file]")?.focus({ preventScroll: true });
    void settleChanges(projectId, act, ids);
  };
  return (
    <span className="change-acts">
      {pending.length > 0 && (
        <>
          <Button disabled={underWay} aria-label={`Apply ${path}`} onClick={settle("apply", pending)}>
            Apply
          </Button>
          <Button look="quiet" disabled={underWay} aria-label={`Reject ${path}`} onClick={settle("reject", pending)}>
            Reject
          </Button>
        </>
      )}
      {undo && (
        <Button
          icon="undo"
          look={pending.length > 0 ? "quiet" : "plain"}
          disabled={underWay}
          aria-label={undo.act === "revert" ? `Revert ${path}` : `Undo the rejection of ${path}`}
          onClick={settle(undo.act, undo.ids)}
        >
          {undo.act === "revert" ? "Revert" : "Undo"}
        </Button>
      )}
    </span>
  );
}
