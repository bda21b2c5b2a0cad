import "../styles/checkpoints.css";

import { useLocation } from "wouter";

import type { SchemaRestoreMarkView as RestoreMarkView } from "../api/schema";
import { Button } from "../components/Button";
import { Icon } from "../icons";
import { shownAt } from "../routes";
import { fullTime } from "../time";
import { restore } from "./restoring";
import { markWords } from "./words";

/** Marks where a chat was restored, for as long as that can be undone. */
export function RestoreMark({ mark }: { mark: RestoreMarkView }) {
  const [path] = useLocation();
  const projectId = shownAt(path)?.projectId;
  if (!projectId) return null;
  return (
    <aside className="restore-mark" aria-label={mark.undoes ? "Undone restore" : "Restore"}>
      <Icon name="undo" />
      <p>
        {markWords(mark)} <time className="view-quiet">{fullTime(mark.done_at)}</time>
      </p>
      <Button onClick={() => void restore({ projectId, checkpoint: mark.safety }, true)}>
        {mark.undoes ? "Redo" : "Undo"}
      </Button>
    </aside>
  );
}
