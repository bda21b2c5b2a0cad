import type { MouseEvent } from "react";

import type { ChangeView } from "../api/types";
import { Button } from "../components/Button";
import { Icon, type IconName } from "../icons";
import { type Act, settleChanges, useRefusal, useUnderWay } from "../state/changes";
import { capitalized } from "../state/words";
import { ago, fullTime } from "../time";
import { useNow } from "../useNow";
import { Diff } from "./Diff";
import { LineCounts } from "./LineCounts";
import type { DiffLook } from "./useDiffLook";

interface Props {
  projectId: string;
  change: ChangeView;
  open: boolean;
  look: DiffLook;
  onToggle: (changeId: string) => void;
}

/** One change of one file: its name, what can be done with it, what came of that, and the diff. */
export function ChangeCard({ projectId, change, open, look, onToggle }: Props) {
  const refusal = useRefusal(change.id);
  return (
    <li
      className={`change change-${change.status}`}
      data-change={change.id}
      data-status={change.status}
      tabIndex={-1}
      aria-label={`${change.kind} ${change.path}, ${change.status}`}
    >
      <div className="change-head">
        <button
          type="button"
          className="change-toggle"
          aria-expanded={open}
          onClick={() => {
            onToggle(change.id);
          }}
        >
          <Icon name={open ? "chevronDown" : "chevronRight"} />
          <span className="change-kind">{change.kind}</span>
          <span className="change-path">{change.path}</span>
        </button>
        <LineCounts added={change.added} removed={change.removed} />
        <Outcome change={change} />
        <Acts projectId={projectId} change={change} />
      </div>
      {refusal && (
        <p className="change-refusal" role="alert">
          <Icon name="warning" /> <span>{refusal}</span>
        </p>
      )}
      {open && (
        <div className="change-body">
          <Diff projectId={projectId} change={change} look={look} />
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

function Acts({ projectId, change }: { projectId: string; change: ChangeView }) {
  const underWay = useUnderWay(change.id);
  const { id, path, status } = change;
  const settle = (act: Act) => (event: MouseEvent<HTMLElement>) => {
    // The button goes with what it did, and would take the focus with it.
    event.currentTarget.closest<HTMLElement>("[data-change]")?.focus({ preventScroll: true });
    void settleChanges(projectId, act, [id]);
  };
  if (status === "pending") {
    return (
      <span className="change-acts">
        <Button
          look="primary"
          disabled={underWay}
          aria-label={`Apply ${path}`}
          onClick={settle("apply")}
        >
          Apply
        </Button>
        <Button
          disabled={underWay}
          aria-label={`Reject ${path}`}
          onClick={settle("reject")}
        >
          Reject
        </Button>
      </span>
    );
  }
  if (status !== "applied") return null;
  return (
    <span className="change-acts">
      <Button
        icon="undo"
        disabled={underWay}
        aria-label={`Rewind ${path}`}
        onClick={settle("rewind")}
      >
        Rewind
      </Button>
    </span>
  );
}
