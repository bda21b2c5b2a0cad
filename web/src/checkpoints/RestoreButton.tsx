import { useLocation } from "wouter";

import type { CheckpointView } from "../api/types";
import { Button } from "../components/Button";
import { shownAt } from "../routes";
import { lookAtRestore } from "./restoring";

interface Props {
  checkpoint: CheckpointView;
  children?: string;
}

/** Opens the preview of a restore. Nothing is restored before the user has seen it. */
export function RestoreButton({ checkpoint, children = "Restore to here" }: Props) {
  const [path] = useLocation();
  const projectId = shownAt(path)?.projectId;
  if (!projectId) return null;
  return (
    <Button look="quiet" icon="undo" onClick={() => void lookAtRestore(projectId, checkpoint)}>
      {children}
    </Button>
  );
}
