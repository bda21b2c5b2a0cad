import "../styles/checkpoints.css";

import type { CheckpointView } from "../api/types";
import { RestoreButton } from "./RestoreButton";

/** Above a question: restores the state before it was answered. */
export function UndoTurn({ checkpoint }: { checkpoint: CheckpointView }) {
  return (
    <div className="undo-turn">
      <RestoreButton checkpoint={checkpoint}>Undo this turn…</RestoreButton>
    </div>
  );
}
