/** Changes of a project: the pending ones, and the history of settled ones. */
import { useEffect } from "react";
import { create } from "zustand";
import { useShallow } from "zustand/react/shallow";

import { api, call, wordsFor } from "../api/client";
import type { SchemaChangeOutcomeView as ChangeOutcome } from "../api/schema";
import type { ChangeView, Envelope } from "../api/types";
import { keepSettled, withStatus } from "../changes/lists";
import { Coalesced } from "./coalesced";
import { onConnection, onEnvelopes, onReload } from "./socket";

export type ChangeListName = "pending" | "history";
export type Act = "apply" | "reject" | "revert" | "reopen";

interface Changes {
  /** By project and list. */
  lists: Readonly<Record<string, readonly ChangeView[]>>;
  /** Why a list could not be loaded. */
  problems: Readonly<Record<string, string>>;
  /** Why an action was refused, by change. */
  refusals: Readonly<Record<string, string>>;
  /** Changes with a running action. */
  underWay: ReadonlySet<string>;
}

const useAll = create<Changes>(() => ({ lists: {}, problems: {}, refusals: {}, underWay: new Set() }));
const { getState, setState } = useAll;
/** Lists that a view shows, with the number of views. */
const watched = new Map<string, number>();
const loads = new Coalesced(loadList, 100);
/** The running action of each change; the next one starts after it. */
const running = new Map<string, Promise<void>>();
/** The status that a change needs for an action. */
const FROM: Readonly<Record<Act, ChangeView["status"]>> = {
  apply: "pending",
  reject: "pending",
  revert: "applied",
  reopen: "rejected",
};
/** How often something was settled. A list that was requested before the last time may be out of date. */
let settlings = 0;

export interface ChangeList {
  changes: readonly ChangeView[] | undefined;
  problem: string | undefined;
}

export function useChangeList(projectId: string, list: ChangeListName): ChangeList {
  const key = keyOf(projectId, list);
  useEffect(() => watch(key), [key]);
  const changes = useAll((state) => state.lists[key]);
  const problem = useAll((state) => state.problems[key]);
  return { changes, problem };
}

/** Why actions on these changes were refused, each reason once. */
export function useRefusals(ids: readonly string[]): readonly string[] {
  return useAll(useShallow((state) => [...new Set(ids.flatMap((id) => state.refusals[id] ?? []))]));
}

export function useUnderWay(...ids: readonly string[]): boolean {
  return useAll((state) => ids.some((id) => state.underWay.has(id)));
}

/** Hunks of a change as it was shown. */
export interface Hunks {
  id: string;
  seen: number;
  hunks: number[];
}

/** Apply or reject hunks of a pending change; the others stay pending. Never throws. */
export async function settleHunks(projectId: string, action: "apply" | "reject", chosen: Hunks): Promise<void> {
  const { id, seen, hunks } = chosen;
  const before = running.get(id) ?? Promise.resolve();
  const doing = before.then(() =>
    settleNow(projectId, [id], async () => {
      const params = { path: { project_id: projectId, change_id: id } };
      const body = { action, hunks, seen };
      return [await call(api.POST("/api/projects/{project_id}/changes/{change_id}/hunks", { params, body }))];
    }),
  );
  running.set(id, doing);
  await doing;
  if (running.get(id) === doing) running.delete(id);
}

/**
 * Apply, reject, revert or reopen. The ids are always named, so that the user settles what is on the screen and not
 * what an agent stages at the same moment. If another action on a change is running, this one starts after it, if it
 * still fits: a frame may show a change as applied before the answer to our own request arrives. Never throws: errors
 * are shown next to each change.
 */
export async function settleChanges(projectId: string, act: Act, ids: readonly string[]): Promise<void> {
  const before = ids.flatMap((id) => running.get(id) ?? []);
  const doing = Promise.all(before).then(() => {
    const wanted = before.length > 0 ? ids.filter((id) => fits(projectId, act, id)) : ids;
    return settleNow(projectId, wanted, () => post(projectId, act, wanted));
  });
  ids.forEach((id) => running.set(id, doing));
  await doing;
  ids.filter((id) => running.get(id) === doing).forEach((id) => running.delete(id));
}

function fits(projectId: string, act: Act, changeId: string): boolean {
  const lists = [keyOf(projectId, "pending"), keyOf(projectId, "history")];
  const known = lists.flatMap((key) => getState().lists[key] ?? []).find(({ id }) => id === changeId);
  return known?.status === FROM[act];
}

async function settleNow(
  projectId: string,
  wanted: readonly string[],
  ask: () => Promise<ChangeOutcome[]>,
): Promise<void> {
  if (wanted.length === 0) return;
  setState((state) => ({
    underWay: new Set([...state.underWay, ...wanted]),
    refusals: without(state.refusals, wanted),
  }));
  try {
    const outcomes = await ask();
    refuse(outcomes.filter(({ success }) => !success).map(({ change, message }) => [change.id, message]));
    addSplit(projectId, outcomes.map(({ change }) => change));
    markSettled(projectId, outcomes.map(({ change }) => change));
  } catch (thrown) {
    refuse(wanted.map((id) => [id, wordsFor(thrown)]));
  } finally {
    setState((state) => ({ underWay: new Set([...state.underWay].filter((id) => !wanted.includes(id))) }));
    loadWatched();
  }
}

function refuse(refused: readonly [changeId: string, words: string][]): void {
  setState((state) => ({ refusals: { ...state.refusals, ...Object.fromEntries(refused) } }));
}

onEnvelopes((envelopes) => {
  envelopes.forEach(handle);
});

onReload(loadWatched);

onConnection((connection) => {
  if (connection === "open" && Object.keys(getState().problems).length > 0) loadWatched();
});

function handle({ project_id: projectId, chat_id: chatId, frame }: Envelope): void {
  switch (frame.type) {
    case "change_settled":
      markSettled(projectId, [{ id: frame.change_id, status: frame.status }]);
      reload(projectId);
      break;
    case "change":
    case "run_end":
      reload(projectId);
      break;
    case "chat_changed":
      // Without a chat: changes came from elsewhere, such as a fleet.
      if (frame.trimmed || !chatId) reload(projectId);
      break;
  }
}

function watch(key: string): () => void {
  watched.set(key, (watched.get(key) ?? 0) + 1);
  void loadList(key);
  return () => {
    const views = (watched.get(key) ?? 1) - 1;
    watched.set(key, views);
    // Outcomes are shown as long as a view is open. After that they are in the history.
    if (views === 0) setState((state) => ({ lists: without(state.lists, [key]), refusals: {} }));
  };
}

function loadWatched(): void {
  for (const [key, views] of watched) if (views > 0) loads.ask(key);
}

function reload(projectId: string): void {
  for (const list of ["pending", "history"] as const) {
    const key = keyOf(projectId, list);
    if (watched.get(key)) loads.ask(key);
  }
}

function markSettled(projectId: string, settled: readonly Pick<ChangeView, "id" | "status">[]): void {
  settlings += 1;
  for (const list of ["pending", "history"] as const) {
    const key = keyOf(projectId, list);
    const before = getState().lists[key];
    const now = before && withStatus(before, settled);
    if (now && now !== before) setState((state) => ({ lists: { ...state.lists, [key]: now } }));
  }
}

/** Hunks that were split from a pending change and settled at once stay visible, next to the rest. */
function addSplit(projectId: string, settled: readonly ChangeView[]): void {
  const key = keyOf(projectId, "pending");
  const list = getState().lists[key];
  const split = settled.filter(({ id, status }) => status !== "pending" && !list?.some((each) => each.id === id));
  if (list && split.length > 0) setState((state) => ({ lists: { ...state.lists, [key]: [...list, ...split] } }));
}

async function loadList(key: string): Promise<void> {
  const { projectId, list } = partsOf(key);
  const status: ChangeView["status"][] = list === "pending" ? ["pending"] : ["applied", "rejected", "reverted"];
  const before = settlings;
  try {
    const params = { path: { project_id: projectId }, query: { status } };
    const loaded = await call(api.GET("/api/projects/{project_id}/changes", { params }));
    if (!watched.get(key)) return;
    // A change that is being settled would disappear before its outcome is known; that reloads when it is.
    if (getState().underWay.size > 0) return;
    if (settlings !== before) {
      loads.ask(key);
      return;
    }
    setState((state) => {
      const changes = list === "pending" ? keepSettled(state.lists[key] ?? [], loaded) : loaded;
      return { lists: { ...state.lists, [key]: changes }, problems: without(state.problems, [key]) };
    });
  } catch (thrown) {
    setState((state) => ({ problems: { ...state.problems, [key]: wordsFor(thrown) } }));
  }
}

function post(projectId: string, act: Act, wanted: readonly string[]) {
  const params = { path: { project_id: projectId } };
  const body = { ids: [...wanted] };
  switch (act) {
    case "apply":
      return call(api.POST("/api/projects/{project_id}/changes/apply", { params, body }));
    case "reject":
      return call(api.POST("/api/projects/{project_id}/changes/reject", { params, body }));
    case "revert":
      return call(api.POST("/api/projects/{project_id}/changes/revert", { params, body }));
    case "reopen":
      return call(api.POST("/api/projects/{project_id}/changes/reopen", { params, body }));
  }
}

function keyOf(projectId: string, list: ChangeListName): string {
  return `${list}:${projectId}`;
}

function partsOf(key: string): { projectId: string; list: ChangeListName } {
  const projectId = key.slice(key.indexOf(":") + 1);
  return { projectId, list: key.startsWith("pending:") ? "pending" : "history" };
}

function without<Value>(record: Readonly<Record<string, Value>>, keys: readonly string[]): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
