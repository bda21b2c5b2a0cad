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

const FEW = 4;

/** Whether a diff is open before the person says so: a few pending ones all are, of many the first. */
export function opensByItself(change: ChangeView, changes: readonly ChangeView[]): boolean {
  if (change.status !== "pending") return false;
  const pending = changes.filter(({ status }) => status === "pending");
  return pending.length <= FEW || pending[0]?.id === change.id;
}
