import type {
  SchemaRestoreMarkView as RestoreMarkView,
  SchemaRestorePreview as RestorePreview,
  SchemaRestoreResult as RestoreResult,
} from "../api/schema";
import type { CheckpointView } from "../api/types";
import { plural } from "../conversation/amounts";
import { capitalized, words } from "../state/words";

export function kindWords(kind: CheckpointView["kind"]): string {
  return capitalized(words().checkpoints[kind] ?? kind);
}

/** The newest safety checkpoint that a restore to this one has made. */
export function safetyOf(restored: CheckpointView, all: readonly CheckpointView[]): CheckpointView | null {
  const own = all.filter((each) => each.kind === "safety" && each.session_id === restored.session_id);
  const newest = own.toSorted((one, other) => other.created_at - one.created_at || other.seq - one.seq)[0];
  return newest && newest.id !== restored.id ? newest : null;
}

/** Newest first. */
export function newestFirst(checkpoints: readonly CheckpointView[]): CheckpointView[] {
  return checkpoints.toSorted((one, other) => other.created_at - one.created_at || other.seq - one.seq);
}

export function nameOf({ label, kind }: CheckpointView): string {
  return label || kindWords(kind);
}

/** Whether a restore would change nothing. */
export function isIdle(preview: RestorePreview): boolean {
  const { writes, creates, deletes, set_aside: aside, head_moves: moves, messages } = preview;
  const rest = aside.length + messages + preview.branches.length + preview.rejects.length;
  return writes.length + creates.length + deletes.length + rest === 0 && !moves;
}

/** The text of a marker in the chat. */
export function markWords({ label, undoes, messages_deleted: gone }: RestoreMarkView): string {
  if (undoes) return "The restore was undone. Files and chat are as they were before it.";
  const target = label ? `before “${label}”` : "an earlier checkpoint";
  const messages = gone > 0 ? ` This removed ${plural(gone, "message")} from the chat.` : "";
  return `Files and chat were restored to ${target}.${messages}`;
}

/** The result of a restore, in a sentence or two. */
export function resultWords(result: RestoreResult, undoes: boolean): string {
  if (undoes) return "The restore was undone. Files and chat are as they were before it.";
  const files = result.worktree_reset ? "The files were restored." : "No file had to be changed.";
  const messages =
    result.messages_deleted > 0 ? ` This removed ${plural(result.messages_deleted, "message")} from the chat.` : "";
  const agent = result.backend_reset ? " The agent starts a new session with the next message." : "";
  return `${files}${messages}${agent}`;
}
