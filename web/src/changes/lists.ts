/** Lists of changes as they are shown. Pure. */
import type { ChangeView, ChatView, RunView } from "../api/types";
import { routes } from "../routes";

type Settled = Pick<ChangeView, "id" | "status">;

/** What a chat's changes come from: the chat, or the run that it belongs to. */
export interface Origin {
  chatId: string;
  title: string;
  href: string;
}

/** Changes that one chat made, in the order they were made. */
export interface Group {
  chatId: string | null;
  title: string;
  /** Null where they come from nothing that is known. */
  href: string | null;
  changes: ChangeView[];
}

/** A run's chat is in no list of chats. */
export function originsOf(projectId: string, chats: readonly ChatView[], runs: readonly RunView[]): Origin[] {
  return [
    ...chats.map(({ id, title }) => ({ chatId: id, title, href: routes.chat(projectId, id) })),
    ...runs.map(({ id, state }) => ({
      chatId: state.chat_id ?? "",
      title: `Run: ${state.goal}`,
      href: routes.run(projectId, id),
    })),
  ];
}

/**
 * What is pending, as loaded anew. What was settled while it was on the screen stays in its place with its outcome; what
 * nobody settled and is gone all the same (by a restore) goes.
 */
export function keepSettled(before: readonly ChangeView[], loaded: readonly ChangeView[]): ChangeView[] {
  const known = new Set(loaded.map(({ id }) => id));
  const kept = before.filter(({ id, status }) => status !== "pending" && !known.has(id));
  return [...loaded, ...kept].sort((one, other) => one.seq - other.seq);
}

/** With the new status of those that were settled; the same list if none of them is in it. */
export function withStatus(changes: readonly ChangeView[], settled: readonly Settled[]): readonly ChangeView[] {
  const statuses = new Map(settled.map(({ id, status }) => [id, status]));
  const touched = changes.some(({ id, status }) => (statuses.get(id) ?? status) !== status);
  if (!touched) return changes;
  return changes.map((change) => ({ ...change, status: statuses.get(change.id) ?? change.status }));
}

/** By chat, the one with the oldest change first. */
export function groupByChat(changes: readonly ChangeView[], origins: readonly Origin[] = []): Group[] {
  const groups = new Map<string | null, ChangeView[]>();
  for (const change of changes) {
    const group = groups.get(change.chat_id);
    if (group) group.push(change);
    else groups.set(change.chat_id, [change]);
  }
  return [...groups].map(([chatId, own]) => {
    const origin = origins.find((each) => each.chatId === chatId);
    const title = origin?.title || (chatId ? "A chat without a title" : "No chat");
    return { chatId, title, href: origin?.href ?? null, changes: own };
  });
}

/** What happened last comes first. */
export function newestFirst(changes: readonly ChangeView[]): ChangeView[] {
  return changes.toSorted((one, other) => other.updated_at - one.updated_at || other.seq - one.seq);
}

export function idsOf(changes: readonly ChangeView[], status: ChangeView["status"]): string[] {
  return changes.filter((change) => change.status === status).map(({ id }) => id);
}

/** Lines added and removed by all of them. */
export function totals(changes: readonly ChangeView[]): { added: number; removed: number } {
  return changes.reduce(
    (sum, { added, removed }) => ({ added: sum.added + (added ?? 0), removed: sum.removed + (removed ?? 0) }),
    { added: 0, removed: 0 },
  );
}

/** The changes that one chat made to one file, in the order they were made. */
export interface FileChanges {
  key: string;
  path: string;
  /** What becomes of the file by all of them. */
  kind: ChangeView["kind"];
  changes: ChangeView[];
}

/** One entry a file and chat, where the first of its changes stands. */
export function byFile(changes: readonly ChangeView[]): FileChanges[] {
  const files = new Map<string, FileChanges>();
  for (const change of changes) {
    const key = `${change.chat_id ?? ""}:${change.path}`;
    const known = files.get(key);
    if (known) known.changes.push(change);
    else files.set(key, { key, path: change.path, kind: change.kind, changes: [change] });
  }
  return [...files.values()].map((file) => ({ ...file, kind: kindOf(file.changes) }));
}

function kindOf(changes: readonly ChangeView[]): ChangeView["kind"] {
  const ordered = changes.toSorted((one, other) => one.seq - other.seq);
  if (ordered.at(-1)?.kind === "delete") return "delete";
  return ordered[0]?.kind === "create" ? "create" : "edit";
}

/** Pending while one of them is; else what became of the last that was settled. */
export function fileStatus(changes: readonly ChangeView[]): ChangeView["status"] {
  if (changes.some(({ status }) => status === "pending")) return "pending";
  return newestFirst(changes)[0]?.status ?? "pending";
}

/** What takes back what was done last: what was applied comes out of the file, what was rejected waits again. */
export function undoOf(changes: readonly ChangeView[]): { act: "revert" | "reopen"; ids: string[] } | null {
  const last = newestFirst(changes).find(({ status }) => status === "applied" || status === "rejected");
  if (!last) return null;
  const act = last.status === "applied" ? "revert" : "reopen";
  return { act, ids: idsOf(changes, last.status) };
}

const FEW = 4;

/** Whether diffs are open before the person says so: of a few files with pending changes all are, of many the first. */
export function opensByItself(file: FileChanges, files: readonly FileChanges[]): boolean {
  if (fileStatus(file.changes) !== "pending") return false;
  const pending = files.filter(({ changes }) => fileStatus(changes) === "pending");
  return pending.length <= FEW || pending[0]?.key === file.key;
}
