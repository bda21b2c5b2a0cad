/** The restore that the user previews or has just made. It outlives its message, which it removes from the chat. */
import { create } from "zustand";

import { api, call, wordsFor } from "../api/client";
import type { SchemaRestorePreview as RestorePreview, SchemaRestoreResult as RestoreResult } from "../api/schema";
import type { CheckpointView } from "../api/types";
import { onEnvelopes } from "../state/socket";
import { safetyOf } from "./words";

interface Target {
  projectId: string;
  checkpoint: CheckpointView;
}

export type Restoring =
  | ({ stage: "looking"; preview: RestorePreview | null; problem: string | null } & Target)
  | ({ stage: "under way"; steps: readonly string[]; undoes: boolean } & Target)
  | ({ stage: "done"; result: RestoreResult; undo: CheckpointView | null; undoes: boolean } & Target)
  | ({ stage: "failed"; steps: readonly string[]; problem: string; undoes: boolean } & Target);

const useStore = create<{ restoring: Restoring | null }>(() => ({ restoring: null }));

export function useRestoring(): Restoring | null {
  return useStore((state) => state.restoring);
}

/** Preview a restore. */
export async function lookAtRestore(projectId: string, checkpoint: CheckpointView): Promise<void> {
  const target = { projectId, checkpoint };
  const looking = { stage: "looking", preview: null, problem: null, ...target } as const;
  set(looking);
  try {
    const preview = await loadPreview(target);
    if (get() === looking) set({ ...looking, preview });
  } catch (thrown) {
    if (get() === looking) set({ ...looking, problem: wordsFor(thrown) });
  }
}

/** Carry it out. `undoes`: it undoes a restore, so nothing more is asked. */
export async function restore({ projectId, checkpoint }: Target, undoes = false): Promise<void> {
  const target = { projectId, checkpoint };
  try {
    set({ stage: "under way", steps: [], undoes, ...target });
    const result = await post(target);
    const undo = undoes ? null : await loadSafety(target);
    set({ stage: "done", result, undo, undoes, ...target });
  } catch (thrown) {
    const now = get();
    const steps = now?.stage === "under way" ? now.steps : [];
    set({ stage: "failed", steps, problem: wordsFor(thrown), undoes, ...target });
  }
}

/** Close the preview. A running restore can't be stopped: it is all or nothing. */
export function leaveRestore(): void {
  if (get()?.stage !== "under way") set(null);
}

onEnvelopes((envelopes) => {
  for (const { frame } of envelopes) {
    const now = get();
    if (frame.type !== "restore_step" || now?.stage !== "under way") continue;
    if (frame.checkpoint_id === now.checkpoint.id) set({ ...now, steps: [...now.steps, frame.text] });
  }
});

function get(): Restoring | null {
  return useStore.getState().restoring;
}

function set(restoring: Restoring | null): void {
  useStore.setState({ restoring });
}

/** Manual checkpoints belong to no session. */
function loadPreview({ projectId, checkpoint: { id, session_id: session } }: Target): Promise<RestorePreview> {
  if (session) {
    const params = { path: { session_id: session, checkpoint_id: id } };
    return call(api.GET("/api/sessions/{session_id}/checkpoints/{checkpoint_id}/preview", { params }));
  }
  const params = { path: { project_id: projectId, checkpoint_id: id } };
  return call(api.GET("/api/projects/{project_id}/checkpoints/{checkpoint_id}/preview", { params }));
}

function post({ projectId, checkpoint: { id, session_id: session } }: Target): Promise<RestoreResult> {
  if (session) {
    const params = { path: { session_id: session, checkpoint_id: id } };
    return call(api.POST("/api/sessions/{session_id}/checkpoints/{checkpoint_id}/restore", { params }));
  }
  const params = { path: { project_id: projectId, checkpoint_id: id } };
  return call(api.POST("/api/projects/{project_id}/checkpoints/{checkpoint_id}/restore", { params }));
}

/** The checkpoint that an undo returns to. If it can't be found now, it is still in the list of checkpoints. */
async function loadSafety({ projectId, checkpoint }: Target): Promise<CheckpointView | null> {
  const params = { path: { project_id: projectId } };
  const all = await call(api.GET("/api/projects/{project_id}/checkpoints", { params })).catch(() => []);
  return safetyOf(checkpoint, all);
}
