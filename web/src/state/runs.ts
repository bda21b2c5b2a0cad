/** Fix runs: the list of a project, and open runs with all their frames. */
import { useEffect } from "react";
import { create } from "zustand";

import { ApiError, api, call, wordsFor } from "../api/client";
import type { Envelope, NewRun, RunView } from "../api/types";
import { FrameBuffer } from "./frameBuffer";
import { type WatchedRun, loadedRun, withEnvelopes } from "./runEnvelopes";
import { onConnection, onEnvelopes, onReload } from "./socket";

export type { WatchedRun } from "./runEnvelopes";

interface Runs {
  lists: Readonly<Record<string, readonly RunView[]>>;
  runs: Readonly<Record<string, WatchedRun>>;
  problems: Readonly<Record<string, string>>;
}

const useAll = create<Runs>(() => ({ lists: {}, runs: {}, problems: {} }));
const frameBuffer = new FrameBuffer();
/** The projects and runs that a view shows, with the number of views. */
const lists = new Map<string, number>();
const watched = new Map<string, { projectId: string; views: number }>();

export function useRuns(projectId: string): readonly RunView[] | undefined {
  useEffect(() => {
    const views = lists.get(projectId) ?? 0;
    lists.set(projectId, views + 1);
    // Another view has loaded it, and frames keep it current.
    if (views === 0) void loadRuns(projectId);
    return () => {
      lists.set(projectId, (lists.get(projectId) ?? 1) - 1);
    };
  }, [projectId]);
  return useAll((state) => state.lists[projectId]);
}

/** The running fix runs of a project. */
export function useRunning(projectId: string): readonly RunView[] {
  return (useRuns(projectId) ?? []).filter(({ running }) => running);
}

export function useRun(projectId: string, runId: string): WatchedRun | undefined {
  useEffect(() => {
    watched.set(runId, { projectId, views: (watched.get(runId)?.views ?? 0) + 1 });
    void loadRun(projectId, runId);
    return () => {
      watched.set(runId, { projectId, views: (watched.get(runId)?.views ?? 1) - 1 });
    };
  }, [projectId, runId]);
  return useAll((state) => state.runs[runId]);
}

/** Why a run, or the list of a project's runs, could not be loaded. */
export function useRunProblem(id: string): string | undefined {
  return useAll((state) => state.problems[id]);
}

export const runActions = {
  /** Returns the run's id. */
  async start(projectId: string, wish: NewRun): Promise<string> {
    const params = { path: { project_id: projectId } };
    const { run_id: runId } = await call(api.POST("/api/projects/{project_id}/runs", { params, body: wish }));
    if (!runId) throw new ApiError(502, "The server did not start a run.");
    return runId;
  },

  async abort(projectId: string, runId: string): Promise<void> {
    const params = { path: { project_id: projectId, run_id: runId } };
    await call(api.POST("/api/projects/{project_id}/runs/{run_id}/abort", { params }));
  },

  async resume(projectId: string, runId: string): Promise<void> {
    const params = { path: { project_id: projectId, run_id: runId } };
    await call(api.POST("/api/projects/{project_id}/runs/{run_id}/resume", { params }));
    await loadRun(projectId, runId);
  },
};

onEnvelopes((envelopes) => {
  const { runs } = useAll.getState();
  for (const envelope of envelopes) if (envelope.run_id) frameBuffer.add(envelope.run_id, envelope);
  const touched = Object.entries(runs)
    .map(([runId, run]) => [runId, run, withEnvelopes(run, envelopes)] as const)
    .filter(([, before, after]) => before !== after);
  if (touched.length > 0) {
    useAll.setState({ runs: { ...runs, ...Object.fromEntries(touched.map(([runId, , after]) => [runId, after])) } });
  }
  for (const envelope of envelopes) follow(envelope);
});

onReload(() => {
  frameBuffer.clear();
  useAll.setState({ runs: {} });
  loadShown();
});

onConnection((connection) => {
  if (connection === "open" && Object.keys(useAll.getState().problems).length > 0) loadShown();
});

function loadShown(): void {
  for (const [projectId, views] of lists) if (views > 0) void loadRuns(projectId);
  for (const [runId, { projectId, views }] of watched) if (views > 0) void loadRun(projectId, runId);
}

/** The store has more than the frames: budget and current checks after every node, the report at the end. */
function follow({ project_id: projectId, run_id: runId, frame }: Envelope): void {
  if (!runId) return;
  const over = frame.type === "run_end" || frame.type === "chat_changed" || frame.type === "work_failed";
  const on = over || frame.type === "run_node";
  if (on && watched.get(runId)?.views) void loadRun(projectId, runId);
  if ((on || frame.type === "run_start") && lists.get(projectId)) void loadRuns(projectId);
}

async function loadRuns(projectId: string): Promise<void> {
  try {
    const params = { path: { project_id: projectId } };
    const loaded = await call(api.GET("/api/projects/{project_id}/runs", { params }));
    useAll.setState((state) => ({
      lists: { ...state.lists, [projectId]: loaded },
      problems: without(state.problems, projectId),
    }));
  } catch (thrown) {
    setProblem(projectId, wordsFor(thrown));
  }
}

async function loadRun(projectId: string, runId: string): Promise<void> {
  const loading = frameBuffer.begin(runId);
  try {
    const params = { path: { project_id: projectId, run_id: runId } };
    const detail = await call(api.GET("/api/projects/{project_id}/runs/{run_id}", { params }));
    const buffered = frameBuffer.end(runId, loading);
    if (!buffered) return;
    useAll.setState((state) => ({
      runs: { ...state.runs, [runId]: withEnvelopes(loadedRun(detail, state.runs[runId]), buffered) },
      problems: without(state.problems, runId),
    }));
  } catch (thrown) {
    if (frameBuffer.end(runId, loading)) setProblem(runId, wordsFor(thrown));
  }
}

function setProblem(id: string, words: string): void {
  useAll.setState(({ problems }) => ({ problems: { ...problems, [id]: words } }));
}

function without(problems: Readonly<Record<string, string>>, id: string): Record<string, string> {
  return Object.fromEntries(Object.entries(problems).filter(([each]) => each !== id));
}
