/** What the composer decides. */
import type { AgentView, ModelsView } from "./api/types";
import { bytes } from "./sizes";
import type { Connection } from "./state/link";

export interface Situation {
  text: string;
  /** A turn is under way in this chat. */
  busy: boolean;
  /** It is under way in another process. */
  elsewhere: boolean;
  sending: boolean;
  connection: Connection;
}

/** Why nothing can be sent, in a sentence; an empty one says itself. Null: it can. */
export function whyNotSend({ text, busy, elsewhere, sending, connection }: Situation): string | null {
  if (connection === "lost") return "Not connected. What you write is kept.";
  if (elsewhere) return "Another process answers in this chat. Wait until it has ended.";
  if (sending) return "Sending…";
  if (busy) return "A turn is under way. Stop it, or wait until it has ended.";
  return text.trim() === "" ? "" : null;
}

export interface Option {
  value: string;
  label: string;
  disabled: boolean;
}

/** Those that are not installed can't be chosen, and say how to get them. */
export function agentOptions(agents: readonly AgentView[], kind: AgentView["kind"]): Option[] {
  return agents
    .filter((each) => each.kind === kind)
    .map((agent) => ({ value: agent.name, label: agentLabel(agent), disabled: isMissing(agent) }));
}

function isMissing({ kind, here }: AgentView): boolean {
  return kind === "external" && !here;
}

function agentLabel(agent: AgentView): string {
  const { name, kind, install, writes } = agent;
  if (isMissing(agent)) return install ? `${name} (not installed: ${install})` : `${name} (not installed)`;
  return kind === "native" && writes ? `${name} (writes)` : name;
}

export interface ModelOptions {
  /** What answers if nothing is chosen. */
  usual: string;
  found: Option[];
  embedded: Option[];
}

export function modelOptions(models: ModelsView | undefined): ModelOptions {
  const usual = models?.chosen ? `${models.chosen} (as configured)` : "as configured";
  const found = (models?.found ?? []).map(({ name, kind }) => {
    return { value: name, label: `${name} (${kind})`, disabled: false };
  });
  const embedded = (models?.embedded ?? []).map(({ name, present, size }) => ({
    value: name,
    label: present ? `${name} (on this machine)` : `${name} (downloads ${bytes(size)} first)`,
    disabled: false,
  }));
  return { usual, found, embedded };
}

/** The model in use, or how to get one, for a first visit. */
export function modelSentence(models: ModelsView): string {
  if (models.chosen) return `Answers come from ${models.chosen}${models.server ? ` at ${models.server}` : ""}.`;
  const usual = models.embedded.find((each) => each.default) ?? models.embedded[0];
  if (usual?.present) return `Answers come from ${usual.name}, which runs on this machine.`;
  if (usual) {
    const download = `The first message downloads ${usual.name} (${bytes(usual.size)}) and runs it on this machine.`;
    return `No model server was found. ${download}`;
  }
  return "No model was found. Start a model server, such as Ollama or llama.cpp, or set one in mulligan.toml.";
}
