/** What the composer decides. */
import type { AgentView, ModelsView } from "./api/types";
import type { Connection } from "./state/link";

export interface Situation {
  text: string;
  /** A turn is running in this chat. */
  busy: boolean;
  /** The turn is running in another process. */
  elsewhere: boolean;
  sending: boolean;
  /** An image is being uploaded. */
  adding: boolean;
  connection: Connection;
  /** The user has not chosen a model yet. */
  noModel?: boolean;
}

/** Why nothing can be sent, in a sentence; empty if it is obvious. Null if it can be sent. */
export function whyNotSend(situation: Situation): string | null {
  const { text, busy, elsewhere, sending, adding, connection, noModel = false } = situation;
  if (connection === "lost") return "Not connected. Your draft is saved.";
  if (elsewhere) return "Another process is answering in this chat. Wait until it has finished.";
  if (sending) return "Sending…";
  if (adding) return "Adding the image…";
  if (busy) return "A turn is running. Stop it, or wait until it has ended.";
  if (noModel) return "Choose a model first. Your draft is saved.";
  return text.trim() === "" ? "" : null;
}

/** Whether files may change. */
export type Mode = "ask" | "edit";

/** The choice for a project: kept in this browser. */
export interface AgentChoice {
  agent: string;
  mode: Mode;
}

const EDITING = "coder";

/** The agent after a switch of the mode: the current one if it fits, else the default one of that kind. */
export function agentFor(mode: Mode, agents: readonly AgentView[], defaultAgent: string | undefined): string | null {
  if (mode === "edit") return EDITING;
  const configured = agents.find((each) => each.name === defaultAgent);
  if (configured && !configured.writes) return configured.name;
  return agents.find((each) => each.kind === "native" && !each.writes && each.name === "default")?.name ?? null;
}

/** What an agent may do. Before the agents are loaded, the remembered mode counts. */
export function modeOf(agent: string | null, agents: readonly AgentView[], remembered: AgentChoice | null): Mode {
  const known = agents.find((each) => each.name === agent);
  if (known) return known.writes ? "edit" : "ask";
  if (remembered && remembered.agent === agent) return remembered.mode;
  return agent === EDITING ? "edit" : "ask";
}

export interface Option {
  value: string;
  label: string;
}

export interface AgentOptions {
  reading: Option[];
  editing: Option[];
  external: Option[];
  /** External agents that are not installed. */
  missing: number;
}

/** Agents that can be chosen, with descriptions. Those that are not installed are only counted. */
export function agentOptions(agents: readonly AgentView[]): AgentOptions {
  const here = agents.filter((each) => each.here);
  const native = here.filter((each) => each.kind === "native");
  return {
    reading: native.filter((each) => !each.writes).map(agentOption),
    editing: native.filter((each) => each.writes).map(agentOption),
    external: here.filter((each) => each.kind === "external").map(agentOption),
    missing: agents.length - here.length,
  };
}

function agentOption({ name, description }: AgentView): Option {
  return { value: name, label: description ? `${name}: ${firstSentence(description)}` : name };
}

function firstSentence(text: string): string {
  const [first = text] = text.split(/\.\s/);
  return first.replace(/\.$/, "");
}

export interface ModelOptions {
  /** The model if none is chosen. */
  defaultLabel: string;
  found: Option[];
  /** Embedded models that are downloaded. Others are downloaded in the settings, not by a message. */
  embedded: Option[];
}

export function modelOptions(models: ModelsView | undefined): ModelOptions {
  const defaultLabel = models?.chosen && models.setup !== "missing" ? `${models.chosen} (default)` : "default model";
  const found = (models?.found ?? []).map(({ name, kind }) => ({ value: name, label: `${name} (${kind})` }));
  const embedded = (models?.embedded ?? [])
    .filter((each) => each.present)
    .map(({ name }) => ({ value: name, label: `${name} (on this machine)` }));
  return { defaultLabel, found, embedded };
}

/** The model in use, in a sentence. */
export function modelSentence(models: ModelsView): string {
  if (models.setup === "missing" || !models.chosen) return "No model can answer yet.";
  if (models.server === "embedded") {
    return `Answers come from ${models.chosen.replace(/^embedded:/, "")}, which runs on this machine.`;
  }
  return `Answers come from ${models.chosen}${models.server ? ` at ${models.server}` : ""}.`;
}
