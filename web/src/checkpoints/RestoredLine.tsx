import { Button, IconButton } from "../components/Button";
import { Icon } from "../icons";
import { type Restoring, leaveRestore, restore } from "./restoring";
import { resultWords } from "./words";

/** What a restore came to, with the way back. It stays until it is dismissed. */
export function RestoredLine({ done }: { done: Extract<Restoring, { stage: "done" }> }) {
  const { projectId, undo } = done;
  return (
    <div className="restored" role="status">
      <Icon name="check" />
      <p>{resultWords(done.result, done.undoes)}</p>
      {undo && (
        <Button icon="undo" onClick={() => void restore({ projectId, checkpoint: undo }, true)}>
          Undo
        </Button>
      )}
      <IconButton icon="close" label="Dismiss" onClick={leaveRestore} />
    </div>
  );
}
