/** Addresses of the page, and what an address shows. */
export const routes = {
  project: (projectId: string) => `/p/${projectId}`,
  chat: (projectId: string, chatId: string) => `/p/${projectId}/c/${chatId}`,
  changes: (projectId: string) => `/p/${projectId}/changes`,
  runs: (projectId: string) => `/p/${projectId}/runs`,
  run: (projectId: string, runId: string) => `/p/${projectId}/runs/${runId}`,
  map: (projectId: string) => `/p/${projectId}/map`,
  checkpoints: (projectId: string) => `/p/${projectId}/checkpoints`,
  settings: (projectId: string) => `/p/${projectId}/settings`,
  login: "/login",
};

/** The state of the history's entry when a chat was begun on this page: the person goes on writing. */
export const JUST_BEGUN = "just begun";

export type View = "new" | "chat" | "changes" | "runs" | "run" | "map" | "checkpoints" | "settings";

export interface Shown {
  projectId: string;
  view: View;
  /** Of a chat or a run. */
  id: string | null;
}

export const viewNames: Record<View, string> = {
  new: "New chat",
  chat: "Chat",
  changes: "Changes",
  runs: "Runs",
  run: "Run",
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

const sections = ["changes", "runs", "map", "checkpoints", "settings"] as const;

function viewAt(section: string | undefined, hasId: boolean): View | null {
  if (section === undefined) return "new";
  if (hasId) return section === "c" ? "chat" : section === "runs" ? "run" : null;
  return sections.find((each) => each === section) ?? null;
}
