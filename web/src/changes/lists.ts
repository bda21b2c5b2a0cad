/** Lists of changes as they are shown. Pure. */
import type { ChangeView, ChatView } from "../api/types";

type Settled = Pick<ChangeView, "id" | "status">;

/** Changes that one chat made, in the order they were staged. */
export interface Group {
  chatId: string | null;
  title: string;
  changes: ChangeView[];
}

/**
 * What waits, as loaded anew. What was settled while it was on the screen stays in its place with its outcome; what
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
export function groupByChat(changes: readonly ChangeView[], chats: readonly ChatView[] = []): Group[] {
  const groups = new Map<string | null, ChangeView[]>();
  for (const change of changes) {
    const group = groups.get(change.chat_id);
    if (group) group.push(change);
    else groups.set(change.chat_id, [change]);
  }
  return [...groups].map(([chatId, own]) => {
    const chat = chats.find(({ id }) => id === chatId);
    return { chatId, title: chat?.title || (chatId ? "A chat without a title" : "No chat"), changes: own };
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

const FEW = 4;

/** Whether a diff is open before the person says so: a few that wait all are, of many the first. */
export function opensByItself(change: ChangeView, changes: readonly ChangeView[]): boolean {
  if (change.status !== "pending") return false;
  const waiting = changes.filter(({ status }) => status === "pending");
  return waiting.length <= FEW || waiting[0]?.id === change.id;
}
