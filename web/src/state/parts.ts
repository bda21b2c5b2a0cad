/** The parts of a message as it streams, in the same shapes as stored ones. */
import type { FrameOf, Part } from "../api/types";

type Streamed = FrameOf<"text_delta"> | FrameOf<"reasoning_delta">;

/** Appends to the last part if that is of the same kind. */
export function withDelta(parts: readonly Part[], delta: Streamed): Part[] {
  const last = parts.at(-1);
  if (delta.type === "text_delta") {
    if (last?.kind === "text") return [...parts.slice(0, -1), { ...last, text: last.text + delta.text }];
    return [...parts, { kind: "text", text: delta.text, by_mulligan: false }];
  }
  if (last?.kind === "reasoning") return [...parts.slice(0, -1), { ...last, text: last.text + delta.text }];
  return [...parts, { kind: "reasoning", text: delta.text }];
}

export function asPart(frame: FrameOf<"tool_call"> | FrameOf<"tool_result">): Part {
  const { call_id, name } = frame;
  if (frame.type === "tool_call") {
    return { kind: "tool_call", call_id, name, arguments: frame.arguments, repairs: frame.repairs };
  }
  const { content, duration_ms, masked, read, changed, pending_seen, pending_unseen, instructions } = frame;
  const files = { read, changed, pending_seen, pending_unseen, instructions };
  return { kind: "tool_result", call_id, name, content, duration_ms, masked, ...files, failure: frame.failure ?? null };
}

/** Removes what came in this step. A message without such a step, like that of a synthesis, loses everything. */
export function beforeStep(parts: readonly Part[], step: number): Part[] {
  const start = parts.findLastIndex((part) => part.kind === "step_start" && part.step === step);
  return parts.slice(0, start + 1);
}

export function withTrimmed(parts: readonly Part[], step: number, text: string): Part[] {
  const kept = beforeStep(parts, step);
  return text ? [...kept, { kind: "text", text, by_mulligan: false }] : kept;
}

/** Whether a tool is running: its call has no result yet. */
export function callUnderWay(parts: readonly Part[]): boolean {
  const results = new Set<string>();
  for (const part of parts.toReversed()) {
    if (part.kind === "tool_result") results.add(part.call_id);
    if (part.kind === "tool_call" && !results.has(part.call_id)) return true;
    if (part.kind === "step_start") return false;
  }
  return false;
}
