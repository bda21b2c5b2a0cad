/** Messages for tests, with defaults for what a test does not care about. */
import type { Message, Part, Sentinel, ToolCallPart, ToolResultPart, TurnMeta } from "./messages";

let made = 0;

export function message(given: Partial<Message>): Message {
  made += 1;
  return {
    id: `m${String(made)}`,
    chat_id: "chat",
    seq: made,
    role: "assistant",
    status: "complete",
    metadata: turn({}),
    parts: [],
    step: null,
    created_at: 0,
    ...given,
  };
}

export function turn(given: Partial<TurnMeta>): TurnMeta {
  return {
    kind: "turn",
    agent: "default",
    model: "small",
    stop_reason: "answered",
    explanation: "The model answered.",
    steps: 1,
    duration_ms: 0,
    context_tokens: 0,
    instructions: [],
    ...given,
  };
}

export function userMessage(text: string, seq?: number): Message {
  const metadata = { kind: "prompt" as const, continues: false, attached: [], is_note: false };
  return message({ role: "user", metadata, parts: [words(text)], ...(seq === undefined ? {} : { seq }) });
}

export function sentinel(metadata: Sentinel, step: number | null = null): Message {
  return message({ role: "system", metadata, step });
}

export function words(text: string): Part {
  return { kind: "text", text, by_mulligan: false };
}

export function stepStart(step: number, wrap_up = false): Part {
  return { kind: "step_start", step, wrap_up };
}

export function toolCall(call_id: string, name: string, given: Record<string, unknown> = {}): ToolCallPart {
  return { kind: "tool_call", call_id, name, arguments: given, repairs: [] };
}

export function toolResult(call_id: string, given: Partial<ToolResultPart> = {}): ToolResultPart {
  const files = { read: [], changed: [], pending_seen: 0, pending_unseen: 0, instructions: [] };
  const rest = { content: "ok", failure: null, duration_ms: 5, masked: 0 };
  return { kind: "tool_result", call_id, name: "tool", ...rest, ...files, ...given };
}
