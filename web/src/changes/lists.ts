/** Lists of changes as they are shown. Pure. */
import type { ChangeView, ChatView, RunView } from "../api/types";
import { routes } from "../routes";

type Settled = Pick<ChangeView, "id" | "status">;

/** Where a chat's changes come from: the chat, or the run that it belongs to. */
export interface Origin {
  chatId: string;
  title: string;
  href: string;
}

/** The changes of one chat, oldest first. */
export interface Group {
  chatId: string | null;
  title: string;
  /** Null if the origin is not known. */
  href: string | null;
  changes: ChangeView[];
}

/** A run's chat is not in the list of chats. */
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
 * Merges newly loaded pending changes with those on the screen. A change that was settled while it was shown keeps its
 * place with its outcome; one that disappeared without being settled (by a restore) goes.
 */
export function keepSettled(before: readonly ChangeView[], loaded: readonly ChangeView[]): ChangeView[] {
  const known = new Set(loaded.map(({ id }) => id));
  const kept = before.filter(({ id, status }) => status !== "pending" && !known.has(id));
  return [...loaded, ...kept].sort((one, other) => one.seq - other.seq);
}

/** The list with new statuses; the same object if none of these changes is in it. */
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
    const title = origin?.title || (chatId ? "Untitled chat" : "No chat");
    return { chatId, title, href: origin?.href ?? null, changes: own };
  });
}

/** Newest first. */
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

/** The changes of one chat to one file, oldest first. */
export interface FileChanges {
  key: string;
  path: string;
  /** The combined effect on the file. */
  kind: ChangeView["kind"];
  changes: ChangeView[];
}

/** One entry per file and chat, at the position of its first change. */
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

/** Pending if one of them is, else the status of the last one that was settled. */
export function fileStatus(changes: readonly ChangeView[]): ChangeView["status"] {
  if (changes.some(({ status }) => status === "pending")) return "pending";
  return newestFirst(changes)[0]?.status ?? "pending";
}

/** What undoes the last action: an applied change is reverted, a rejected one is pending again. */
export function undoOf(changes: readonly ChangeView[]): { act: "revert" | "reopen"; ids: string[] } | null {
  const last = newestFirst(changes).find(({ status }) => status === "applied" || status === "rejected");
  if (!last) return null;
  const act = last.status === "applied" ? "revert" : "reopen";
  return { act, ids: idsOf(changes, last.status) };
}

const FEW = 4;

/** Whether diffs are open by default: for few files all with pending changes, for many only the first. */
export function opensByItself(file: FileChanges, files: readonly FileChanges[]): boolean {
  if (fileStatus(file.changes) !== "pending") return false;
  const pending = files.filter(({ changes }) => fileStatus(changes) === "pending");
  return pending.length <= FEW || pending[0]?.key === file.key;
}
