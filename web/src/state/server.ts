/** State of the whole page: the server, its projects and their chats, the connection, toasts. */
import { useEffect } from "react";
import { create } from "zustand";

import { api, call, wordsFor } from "../api/client";
import type {
  AgentView,
  Ask,
  ChatView,
  ChoicesView,
  Envelope,
  ModelsView,
  ProjectView,
  PullProgress,
  ServerView,
} from "../api/types";
import { Coalesced } from "./coalesced";
import { FrameCounter } from "./frameCounter";
import type { Connection } from "./link";
import { connect, onConnection, onEnvelopes, onReload } from "./socket";
import { setWords } from "./words";

/** A short message to the user. */
export interface ToastMessage {
  id: number;
  text: string;
  /** A button, such as Undo. */
  action?: ToastAction | undefined;
}

export interface ToastAction {
  label: string;
  run: () => void;
}

interface ServerState {
  server: ServerView | null;
  /** Why the server could not be loaded. */
  problem: string | null;
  connection: Connection;
  /** By project. */
  chats: Readonly<Record<string, readonly ChatView[]>>;
  agents: Readonly<Record<string, readonly AgentView[]>>;
  models: Readonly<Record<string, ModelsView>>;
  /** The agent if none is chosen. */
  defaultAgents: Readonly<Record<string, string>>;
  /** Number of pending changes. */
  pending: Readonly<Record<string, number>>;
  /** Open approvals of all chats and runs. */
  asks: readonly Ask[];
  toasts: readonly ToastMessage[];
  /** Running downloads, by model. */
  pulls: Readonly<Record<string, PullProgress>>;
}

export interface ProjectState {
  project: ProjectView | undefined;
  chats: readonly ChatView[] | undefined;
  agents: readonly AgentView[] | undefined;
  models: ModelsView | undefined;
  defaultAgent: string | undefined;
  pending: number;
}

const MAX_TOASTS = 4;

export const useServer = create<ServerState>(() => ({
  server: null,
  problem: null,
  connection: "connecting",
  chats: {},
  agents: {},
  models: {},
  defaultAgents: {},
  pending: {},
  asks: [],
  toasts: [],
  pulls: {},
}));

const { getState, setState } = useServer;
let lastToastId = 0;
const chatLists = new Coalesced(loadChats, 50);
const pendingCounts = new Coalesced(loadPending, 300);

export function useProject(projectId: string): ProjectState {
  useEffect(() => {
    if (!getState().models[projectId]) void loadChoices(projectId);
  }, [projectId]);
  const project = useServer((state) => state.server?.projects.find((each) => each.id === projectId));
  const chats = useServer((state) => state.chats[projectId]);
  const agents = useServer((state) => state.agents[projectId]);
  const models = useServer((state) => state.models[projectId]);
  const defaultAgent = useServer((state) => state.defaultAgents[projectId]);
  const pending = useServer((state) => state.pending[projectId] ?? 0);
  return { project, chats, agents, models, defaultAgent, pending };
}

export const serverActions = {
  /** Load the initial state, then connect from there. */
  async start(): Promise<void> {
    try {
      const server = await call(api.GET("/api/server"));
      setWords(server.words);
      setState({ server, problem: null });
      connect({ epoch: server.epoch, seq: server.seq });
      await loadLists();
    } catch (thrown) {
      setState({ problem: wordsFor(thrown) });
    }
  },

  /** Look for agents and models again. */
  async rescan(projectId: string): Promise<void> {
    await loadChoices(projectId, true);
  },

  /** Take over the server's answer to a change of the choices. */
  setChoices(projectId: string, { agent, agents, models }: ChoicesView): void {
    setState((state) => ({
      agents: { ...state.agents, [projectId]: agents },
      models: { ...state.models, [projectId]: models },
      defaultAgents: { ...state.defaultAgents, [projectId]: agent },
    }));
  },

  toast(text: string, action?: ToastAction): void {
    lastToastId += 1;
    const message = { id: lastToastId, text, action };
    setState((state) => ({ toasts: [...state.toasts.filter((each) => each.text !== text), message].slice(-MAX_TOASTS) }));
  },

  dismiss(id: number): void {
    setState((state) => ({ toasts: state.toasts.filter((each) => each.id !== id) }));
  },
};

onConnection((connection) => {
  setState({ connection });
});

onReload(() => {
  setState({ pulls: {} });
  void call(api.GET("/api/server"))
    .then((server) => {
      setWords(server.words);
      setState({ server });
      for (const projectId of Object.keys(getState().models)) void loadChoices(projectId);
      return loadLists();
    })
    .catch(() => undefined); // the connection is lost again, and its banner says so
});

onEnvelopes((envelopes) => {
  envelopes.forEach(handle);
});

function handle({ project_id: projectId, chat_id: chatId, frame }: Envelope): void {
  switch (frame.type) {
    case "turn_start":
      setBusy(projectId, chatId, true);
      break;
    case "turn_end":
      setBusy(projectId, chatId, false);
      pendingCounts.ask(projectId);
      break;
    case "chat_changed":
      chatLists.ask(projectId);
      pendingCounts.ask(projectId);
      break;
    case "change":
    case "change_settled":
    case "run_end":
      pendingCounts.ask(projectId);
      break;
    case "asked":
      askFrames.add(ASKS);
      setState((state) => ({ asks: [...state.asks.filter((each) => each.id !== frame.ask.id), frame.ask] }));
      break;
    case "ask_settled":
      askFrames.add(ASKS);
      setState((state) => ({ asks: state.asks.filter((each) => each.id !== frame.ask_id) }));
      break;
    case "notice":
      // While no model is ready, the setup card says more than this message.
      if (chatId || getState().models[projectId]?.setup === "ready") serverActions.toast(frame.text);
      break;
    case "pull":
      setState((state) => ({ pulls: { ...state.pulls, [frame.model]: frame } }));
      if (frame.state !== "under_way") void loadChoices(projectId, true);
      break;
  }
}

function setBusy(projectId: string, chatId: string | null | undefined, busy: boolean): void {
  chatFrames.add(projectId);
  const known = getState().chats[projectId];
  if (!known?.some((each) => each.id === chatId)) {
    chatLists.ask(projectId);
    return;
  }
  const chats = known.map((each) => (each.id === chatId ? { ...each, busy, updated_at: Date.now() / 1000 } : each));
  setState((state) => ({ chats: { ...state.chats, [projectId]: chats } }));
}

const chatFrames = new FrameCounter();
const askFrames = new FrameCounter();
const ASKS = "asks";

async function loadLists(): Promise<void> {
  const projects = getState().server?.projects ?? [];
  const asks = askFrames
    .newest(ASKS, () => call(api.GET("/api/asks")))
    .then((open) => {
      setState({ asks: open });
    });
  await Promise.all([asks, ...projects.flatMap(({ id }) => [loadChats(id), loadPending(id)])]);
}

async function loadChats(projectId: string): Promise<void> {
  const params = { path: { project_id: projectId } };
  const chats = await chatFrames.newest(projectId, () => call(api.GET("/api/projects/{project_id}/chats", { params })));
  setState((state) => ({ chats: { ...state.chats, [projectId]: chats } }));
}

async function loadPending(projectId: string): Promise<void> {
  const params = { path: { project_id: projectId }, query: { status: ["pending" as const] } };
  const changes = await call(api.GET("/api/projects/{project_id}/changes", { params }));
  setState((state) => ({ pending: { ...state.pending, [projectId]: changes.length } }));
}

/** Projects whose choices are loading: several parts of the page request them at once. */
const choosing = new Set<string>();

async function loadChoices(projectId: string, rescan = false): Promise<void> {
  if (choosing.has(projectId) && !rescan) return;
  choosing.add(projectId);
  const params = { path: { project_id: projectId }, query: rescan ? { rescan } : {} };
  const found = await call(api.GET("/api/projects/{project_id}/choices", { params })).catch(() => undefined);
  choosing.delete(projectId);
  if (found) serverActions.setChoices(projectId, found);
}
