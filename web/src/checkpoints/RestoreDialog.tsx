import "../styles/views.css";
import "../styles/checkpoints.css";

import { useState } from "react";

import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { fullTime } from "../time";
import { Preview } from "./Preview";
import { type Restoring, leaveRestore, restore, useRestoring } from "./restoring";
import { nameOf } from "./words";

/** Rendered once per page: the preview of a restore, and its steps. `RestoredLine` shows the result. */
export function RestoreDialog() {
  const restoring = useRestoring();
  if (!restoring || restoring.stage === "done") return null;
  const { checkpoint } = restoring;
  return (
    <Dialog
      title={titleOf(restoring)}
      className="restore"
      onClose={leaveRestore}
    >
      <p className="restore-target">
        {nameOf(checkpoint)}, {fullTime(checkpoint.created_at)}
      </p>
      {restoring.stage === "looking" ? <Looking looking={restoring} /> : <Steps restoring={restoring} />}
    </Dialog>
  );
}

function titleOf(restoring: Exclude<Restoring, { stage: "done" }>): string {
  if (restoring.stage !== "looking" && restoring.undoes) return "Undo the restore";
  return restoring.checkpoint.kind === "turn" ? "Undo this turn" : "Restore";
}

function Looking({ looking }: { looking: Extract<Restoring, { stage: "looking" }> }) {
  const { preview, problem } = looking;
  const [agreed, setAgreed] = useState(false);
  const asked = preview !== null && preview.branches.length > 0;
  return (
    <>
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
      {preview && <Preview preview={preview} agreed={agreed} onAgree={setAgreed} />}
      {!preview && !problem && <p role="status">Checking what would change…</p>}
      <div className="restore-buttons">
        <Button look="destructive" disabled={!preview || (asked && !agreed)} onClick={() => void restore(looking)}>
          Restore
        </Button>
        <Button data-first-focus onClick={leaveRestore}>
          Cancel
        </Button>
      </div>
    </>
  );
}

function Steps({ restoring }: { restoring: Extract<Restoring, { stage: "under way" | "failed" }> }) {
  return (
    <>
      <ol className="restore-steps" aria-live="polite">
        {restoring.steps.map((step, index) => (
          <li key={index}>{step}</li>
        ))}
        {restoring.stage === "under way" && <li className="restore-working">Working…</li>}
      </ol>
      {restoring.stage === "failed" && (
        <>
          <p className="view-problem" role="alert">
            {restoring.problem}
          </p>
          <div className="restore-buttons">
            <Button look="primary" onClick={() => void restore(restoring, restoring.undoes)}>
              Try again
            </Button>
            <Button onClick={leaveRestore}>Close</Button>
          </div>
        </>
      )}
    </>
  );
}
