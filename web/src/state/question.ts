import type { Message } from "../api/types";

export interface Question {
  text: string;
  options: readonly string[];
}

/** The question with which the newest turn paused, from its call of `ask_user`. Null once it was answered. */
export function questionOf(messages: readonly Message[]): Question | null {
  const last = messages.findLast((each) => each.role !== "system");
  if (last?.metadata.kind !== "turn" || last.metadata.stop_reason !== "paused") return null;
  const call = last.parts.findLast((part) => part.kind === "tool_call" && part.name === "ask_user");
  if (call?.kind !== "tool_call") return null;
  const { question, options } = call.arguments;
  if (typeof question !== "string") return null;
  const offered: unknown[] = Array.isArray(options) ? options : [];
  return { text: question, options: offered.filter((each) => typeof each === "string") };
}
