import type { AttachmentInfo, CheckpointView, Message, Part, TurnMeta } from "../api/types";

export type { Ask, Message, Part, TurnMeta } from "../api/types";
export type Checkpoint = CheckpointView;
export type ToolCallPart = Extract<Part, { kind: "tool_call" }>;
export type ToolResultPart = Extract<Part, { kind: "tool_result" }>;
export type Synthesis = Extract<Part, { kind: "synthesis" }>;
export type Sentinel = Exclude<Message["metadata"], { kind: "turn" | "prompt" }>;
export type StopReason = NonNullable<TurnMeta["stop_reason"]>;
export type Failure = NonNullable<ToolResultPart["failure"]>;

/** The metadata of the turn that an assistant message belongs to. */
export function turnOf(message: Message): TurnMeta | null {
  return message.metadata.kind === "turn" ? message.metadata : null;
}

/** The metadata of a sentinel; null for messages of users and models. */
export function sentinelOf({ metadata }: Message): Sentinel | null {
  return metadata.kind === "turn" || metadata.kind === "prompt" ? null : metadata;
}

/** All text of a message, without reasoning and calls. */
export function textOf(message: Message): string {
  return message.parts
    .filter((part) => part.kind === "text" && typeof part.attached !== "string")
    .map((part) => (part.kind === "text" ? part.text : ""))
    .join("\n\n");
}

/** The output of a command that the user ran. */
export function commandOutput(message: Message): string {
  return message.parts.map((part) => (part.kind === "text" ? part.text : "")).join("\n\n");
}

/** The images of a user's message. */
export function imagesOf({ metadata }: Message): AttachmentInfo[] {
  return metadata.kind === "prompt" ? metadata.attached.filter((each) => each.image && !each.problem) : [];
}

/** What a user's message mentions, one line each. */
export function attachedTo({ metadata }: Message): { words: string; problem: boolean }[] {
  const attached = metadata.kind === "prompt" ? metadata.attached : [];
  return attached.map(({ name, about, problem }) => ({ words: `${name} · ${problem || about}`, problem: problem !== "" }));
}
