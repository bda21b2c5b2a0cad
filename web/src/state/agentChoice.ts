/** The user's last choice of an agent for a project. Stored in this browser. */
import type { AgentChoice } from "../composing";

const key = (projectId: string) => `agent:${projectId}`;

export function readAgentChoice(projectId: string): AgentChoice | null {
  const [mode, agent] = (localStorage.getItem(key(projectId)) ?? "").split(":", 2);
  return agent && (mode === "ask" || mode === "edit") ? { agent, mode } : null;
}

export function writeAgentChoice(projectId: string, { agent, mode }: AgentChoice): void {
  localStorage.setItem(key(projectId), `${mode}:${agent}`);
}
