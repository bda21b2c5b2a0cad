import { useState } from "react";

import { api, call } from "../api/client";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";

/** Save the current files as a checkpoint, with an optional name. */
export function MakeCheckpoint({ projectId, onMade }: { projectId: string; onMade: () => void }) {
  const [label, setLabel] = useState("");
  const { problem, underWay, attempt } = useAttempt();
  const make = async () => {
    const params = { path: { project_id: projectId } };
    await call(api.POST("/api/projects/{project_id}/checkpoints", { params, body: { label: label.trim() } }));
    setLabel("");
    onMade();
  };
  return (
    <form
      className="make-checkpoint"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(make);
      }}
    >
      <label htmlFor="checkpoint-label">Label</label>
      <input
        id="checkpoint-label"
        className="field"
        value={label}
        maxLength={200}
        placeholder="for example: before the big rename"
        onChange={(event) => {
          setLabel(event.target.value);
        }}
      />
      <Button submit icon="flag" disabled={underWay}>
        Take one now
      </Button>
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
