import { useLocation } from "wouter";

import { Button, IconButton } from "../components/Button";
import { Icon } from "../icons";
import { shownAt } from "../routes";
import { leaveRestore, restore, useRestoring } from "./restoring";
import { resultWords } from "./words";

/** The result of a restore, with a button that undoes it. It stays until it is dismissed. */
export function RestoredLine() {
  const restoring = useRestoring();
  const [path] = useLocation();
  if (restoring?.stage !== "done") return null;
  const { chat_id: chatId } = restoring.checkpoint;
  // In its own chat there is a marker, which stays.
  if (chatId && shownAt(path)?.id === chatId) return null;
  const { projectId, undo, result, undoes } = restoring;
  return (
    <div className="restored" role="status">
      <Icon name="check" />
      <p>{resultWords(result, undoes)}</p>
      {undo && (
        <Button icon="undo" onClick={() => void restore({ projectId, checkpoint: undo }, true)}>
          Undo
        </Button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={leaveRestore} />
    </div>
  );
}
