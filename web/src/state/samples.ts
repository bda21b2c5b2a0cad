/** A chat and frames for tests. */
import type { ChatDetail, Envelope, Frame, FrameOf, Message, TurnMeta } from "../api/types";

export const CHAT = "chat";
export const PROJECT = "project";
export const NOW = 1_700_000_000_000;

export function detailOf(given: Partial<ChatDetail> = {}): ChatDetail {
  return {
    chat: {
      id: CHAT,
      project_id: PROJECT,
      title: "A chat",
      agent: "default",
      external: false,
      busy: false,
      pinned: false,
      created_at: 0,
      updated_at: 0,
    },
    messages: [],
    texts: {},
    earlier: false,
    live: [],
    elsewhere: false,
    seq: 0,
    context: null,
    asks: [],
    can_continue: false,
    continue_refused: "",
    checkpoints: [],
    restores: [],
    pending: 0,
    queued: [],
    ...given,
  };
}

export function storedMessage(given: Partial<Message> & Pick<Message, "id" | "seq" | "role">): Message {
  const prompt = { kind: "prompt" as const, continues: false, attached: [], is_note: false };
  return { chat_id: CHAT, status: "complete", metadata: prompt, parts: [], created_at: 0, ...given };
}

export const turnMeta: TurnMeta = {
  kind: "turn",
  agent: "default",
  model: "tiny",
  explanation: "",
  steps: 0,
  duration_ms: 0,
  context_tokens: 0,
  instructions: [],
};

/** Numbered from `first`, all of one chat. */
export function numbered(frames: readonly Frame[], first = 1): Envelope[] {
  return frames.map((frame, index) => ({ seq: first + index, project_id: PROJECT, chat_id: CHAT, frame }));
}

export const start: FrameOf<"turn_start"> = {
  type: "turn_start",
  chat_id: CHAT,
  message_id: "m1",
  agent: "default",
  model: "tiny",
  seq: 2,
  prompt: "Why?",
  continues: false,
  attached: [],
};

export const step = (number: number, messageId = "m1"): Frame => ({
  type: "step_start",
  message_id: messageId,
  step: number,
  wrap_up: false,
});

export const says = (text: string, messageId = "m1"): Frame => ({ type: "text_delta", message_id: messageId, text });

export const thinks = (text: string, messageId = "m1"): Frame => ({
  type: "reasoning_delta",
  message_id: messageId,
  text,
});

export const calls = (id: string): Frame => ({
  type: "tool_call",
  message_id: "m1",
  call_id: id,
  name: "view_file",
  arguments: { path: "a.py" },
  repairs: [],
});

export const returns = (id: string): Frame => ({
  type: "tool_result",
  message_id: "m1",
  call_id: id,
  name: "view_file",
  content: "text",
  duration_ms: 3,
  masked: 0,
  read: [],
  changed: [],
  pending_seen: 0,
  instructions: [],
  pending_unseen: 0,
});

export const retries = (number: number): Frame => ({
  type: "reply_retry",
  message_id: "m1",
  step: number,
  attempt: 1,
  attempts: 3,
  delay: 0.5,
  reason: "the reply was cut off.",
});

export const completes = (status: Message["status"] = "complete", messageId = "m1"): Frame => ({
  type: "message_complete",
  message_id: messageId,
  status,
});

export const ends: FrameOf<"turn_end"> = {
  type: "turn_end",
  chat_id: CHAT,
  message_id: "m1",
  stop_reason: "answered",
  explanation: "The model answered.",
  steps: 2,
  usage: { prompt_tokens: 10, completion_tokens: 5, cached_tokens: 0 },
  repairs: {},
  duration_ms: 900,
  can_continue: false,
  options: [],
  pending: 0,
  unapplied: [],
  overwritten: [],
  only_announced: false,
};

export const raises: Frame = {
  type: "sentinel",
  message: storedMessage({
    id: "s1",
    seq: 3,
    role: "system",
    metadata: { kind: "cap_hit", steps: 2, can_continue: true },
  }),
  text: "Used up its 20 steps.",
};

/** A turn with every kind of frame that streams in one. */
export const wholeTurn: readonly Frame[] = [
  start,
  step(1),
  thinks("Let me"),
  thinks(" see."),
  says("I look"),
  says(" at it."),
  calls("c1"),
  calls("c2"),
  returns("c2"),
  returns("c1"),
  { type: "context", message_id: "m1", tokens: 700, length: 1000 },
  step(2),
  says("Beca"),
  retries(2),
  says("Because"),
  says(" of a.py"),
  says("."),
  raises,
  completes(),
  ends,
];
