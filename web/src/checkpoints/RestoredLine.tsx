import { Button, IconButton } from "../components/Button";
import { Icon } from "../icons";
import { leaveRestore, restore, useRestoring } from "./restoring";
import { resultWords } from "./words";

/** What a restore came to, with the way back. It stays until it is dismissed. */
export function RestoredLine() {
  const restoring = useRestoring();
  if (restoring?.stage !== "done") return null;
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
