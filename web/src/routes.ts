/** Addresses of the page, and what each shows. */
export const routes = {
  project: (projectId: string) => `/p/${projectId}`,
  chat: (projectId: string, chatId: string) => `/p/${projectId}/c/${chatId}`,
  changes: (projectId: string) => `/p/${projectId}/changes`,
  runs: (projectId: string) => `/p/${projectId}/runs`,
  run: (projectId: string, runId: string) => `/p/${projectId}/runs/${runId}`,
  fleet: (projectId: string) => `/p/${projectId}/fleet`,
  job: (projectId: string, jobId: string) => `/p/${projectId}/fleet/${jobId}`,
  map: (projectId: string) => `/p/${projectId}/map`,
  checkpoints: (projectId: string) => `/p/${projectId}/checkpoints`,
  settings: (projectId: string) => `/p/${projectId}/settings`,
  login: "/login",
};

/** The history entry's state after a chat was started on this page: the user keeps typing. */
export const JUST_STARTED = "just started";

export type View = "new" | "chat" | "changes" | "runs" | "run" | "fleet" | "job" | "map" | "checkpoints" | "settings";

export interface Shown {
  projectId: string;
  view: View;
  /** Of a chat, a run or a job. */
  id: string | null;
}

export const viewNames: Record<View, string> = {
  new: "New chat",
  chat: "Chat",
  changes: "Changes",
  runs: "Runs",
  run: "Run",
  fleet: "Fleet",
  job: "Job",
  map: "Map",
  checkpoints: "Checkpoints",
  settings: "Settings",
};

export function shownAt(path: string): Shown | null {
  const [root, projectId, section, id, ...rest] = path.split("/").filter(Boolean);
  if (root !== "p" || !projectId || rest.length > 0) return null;
  const view = viewAt(section, id !== undefined);
  return view && { projectId, view, id: id ?? null };
}

const sections = ["changes", "runs", "fleet", "map", "checkpoints", "settings"] as const;

const withId: Readonly<Record<string, View>> = { c: "chat", runs: "run", fleet: "job" };

function viewAt(section: string | undefined, hasId: boolean): View | null {
  if (section === undefined) return "new";
  if (hasId) return withId[section] ?? null;
  return sections.find((each) => each === section) ?? null;
}
