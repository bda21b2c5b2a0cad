/**
 * A chat as it is shown, built from what is stored and the frames since. Pure: the same answer and the same frames
 * always give the same state, repeated frames change nothing, and only affected messages are new objects.
 */
import type { Ask, ChangeMade, ChatDetail, Envelope, Frame, FrameOf, Message } from "../api/types";
import { answer, prompt, put, touch, withoutSending } from "./messages";
import { checkpointWords, retryWords } from "./notices";
import { asPart, beforeStep, withDelta, withTrimmed } from "./parts";

export type ChatMeta = Omit<ChatDetail, "messages" | "texts" | "live" | "asks" | "seq">;

/** A line about a message, such as that the model is asked again. */
export interface Notice {
  id: string;
  messageId: string;
  text: string;
}

export type ChangeInChat = Pick<ChangeMade, "change_id" | "path" | "kind" | "status"> & {
  added: number | null;
  removed: number | null;
  messageId: string | null;
};

/** What a turn waits for. */
export interface Waiting {
  messageId: string;
  /** When the last word came, or the reply was requested; milliseconds, like `Date.now()`. */
  since: number;
  /** How much of the prompt the server has read, if it reports that. */
  read: FrameOf<"prompt_progress"> | null;
  /** What the model has written in this step so far: characters, and since when. */
  written: { chars: number; since: number } | null;
}

export interface ChatState {
  detail: ChatMeta;
  messages: readonly Message[];
  /** The sentence for each sentinel, by message id. */
  texts: Readonly<Record<string, string>>;
  notices: readonly Notice[];
  asks: readonly Ask[];
  changes: readonly ChangeInChat[];
  busy: boolean;
  waiting: Waiting | null;
  /** Milliseconds, like `Date.now()`. */
  lastFrameAt: number;
  error: string | null;
  /** The number of the newest frame in this state. */
  seq: number;
  /** The position of the user's message in the newest turn that frames announced. */
  turnFrom: number | null;
}

export function fromDetail(detail: ChatDetail, now = Date.now()): ChatState {
  const { messages, texts, live, asks, seq, ...meta } = detail;
  const stored: ChatState = {
    detail: meta,
    messages,
    texts,
    notices: [],
    asks,
    changes: [],
    busy: meta.chat.busy,
    waiting: null,
    lastFrameAt: now,
    error: null,
    seq: -1,
    turnFrom: null,
  };
  return { ...foldAll(stored, live, now), seq };
}

/** Folds several frames. Text that streamed in several frames is added at once. */
export function foldAll(state: ChatState, envelopes: readonly Envelope[], now = Date.now()): ChatState {
  const fresh = envelopes.filter((each) => each.seq > state.seq && concerns(state, each));
  return mergeDeltas(fresh).reduce((folded, each) => foldEnvelope(folded, each, now), state);
}

export function foldEnvelope(state: ChatState, envelope: Envelope, now = Date.now()): ChatState {
  if (envelope.seq <= state.seq || !concerns(state, envelope)) return state;
  const waiting = awaited(state.waiting, envelope.frame, now);
  return { ...state, ...folded(state, envelope.frame, envelope.seq, now), waiting, seq: envelope.seq, lastFrameAt: now };
}

/** Consecutive deltas of one text as one frame, with the number of the last. */
export function mergeDeltas(envelopes: readonly Envelope[]): Envelope[] {
  const merged: Envelope[] = [];
  for (const envelope of envelopes) {
    const last = merged.at(-1);
    const { frame } = envelope;
    if (
      last &&
      (frame.type === "text_delta" || frame.type === "reasoning_delta") &&
      last.frame.type === frame.type &&
      last.frame.message_id === frame.message_id
    ) {
      merged[merged.length - 1] = { ...envelope, frame: { ...frame, text: last.frame.text + frame.text } };
    } else {
      merged.push(envelope);
    }
  }
  return merged;
}

/** A settled change concerns the whole project, everything else one chat. */
function concerns({ detail: { chat } }: ChatState, { chat_id, project_id, frame }: Envelope): boolean {
  return chat_id === chat.id || (frame.type === "change_settled" && project_id === chat.project_id);
}

function awaited(waiting: Waiting | null, frame: Frame, now: number): Waiting | null {
  switch (frame.type) {
    case "turn_start":
    case "step_start":
    case "reply_retry":
      return { messageId: frame.message_id, since: now, read: null, written: null };
    case "text_delta":
    case "reasoning_delta": {
      const before = waiting?.written ?? { chars: 0, since: now };
      const written = { ...before, chars: before.chars + frame.text.length };
      return { messageId: frame.message_id, since: now, read: null, written };
    }
    case "prompt_progress":
      return { messageId: frame.message_id, since: waiting?.since ?? now, read: frame, written: null };
    case "tool_call":
    case "message_complete":
    case "turn_end":
      return null;
    default:
      return waiting;
  }
}

function folded(state: ChatState, frame: Frame, seq: number, now: number): Partial<ChatState> {
  const { messages } = state;
  switch (frame.type) {
    case "turn_start":
      return begun(state, frame, now);
    case "message_start":
      return { messages: synthesis(state, frame, now) };
    case "step_start": {
      const { step, wrap_up } = frame;
      return { messages: grow(messages, frame, (parts) => [...parts, { kind: "step_start", step, wrap_up }]) };
    }
    case "text_delta":
    case "reasoning_delta":
      return { messages: grow(messages, frame, (parts) => withDelta(parts, frame)) };
    case "reply_retry":
      return {
        messages: grow(messages, frame, (parts) => beforeStep(parts, frame.step)),
        notices: [...state.notices, { id: String(seq), messageId: frame.message_id, text: retryWords(frame) }],
      };
    case "reply_trimmed":
      return { messages: grow(messages, frame, (parts) => withTrimmed(parts, frame.step, frame.text)) };
    case "tool_call":
    case "tool_result":
      return { messages: grow(messages, frame, (parts) => [...parts, asPart(frame)]) };
    case "context":
      return {
        detail: {
          ...state.detail,
          context: {
            tokens: frame.tokens,
            length: frame.length ?? null,
            parts: frame.parts ?? null,
            estimated: false,
          },
        },
      };
    case "queue":
      return { detail: { ...state.detail, queued: frame.queued } };
    case "checkpoint": {
      const text = checkpointWords(frame);
      if (!text) return {};
      return { notices: [...state.notices, { id: String(seq), messageId: frame.message_id, text }] };
    }
    case "change":
      return withChange(state, frame);
    case "change_settled":
      return withSettled(state, frame);
    case "sentinel":
      return {
        messages: put(messages, frame.message),
        texts: { ...state.texts, [frame.message.id]: frame.text },
      };
    case "message_complete":
      return { messages: touch(messages, frame.message_id, (message) => ({ ...message, status: frame.status })) };
    case "turn_end":
      return ended(state, frame);
    case "asked":
      return { asks: [...state.asks.filter((each) => each.id !== frame.ask.id), frame.ask] };
    case "ask_settled":
      return { asks: state.asks.filter((each) => each.id !== frame.ask_id) };
    case "work_failed":
      return { busy: false, error: frame.error, messages: withoutSending(messages) };
    default:
      return {};
  }
}

/** Resets the turn's message, unless it is known to have ended: then the answer was newer than this frame. */
function begun(state: ChatState, frame: FrameOf<"turn_start">, now: number): Partial<ChatState> {
  const { message_id: id, chat_id: chatId, seq, agent, model } = frame;
  const known = state.messages.find((each) => each.id === id);
  let messages = withoutSending(state.messages);
  if (!known || known.status === "streaming") {
    if (frame.prompt && !messages.some((each) => each.seq === seq - 1)) {
      const sent = { id: `prompt-${id}`, chatId, seq: seq - 1, text: frame.prompt, continues: frame.continues, attached: frame.attached };
      messages = put(messages, prompt(sent, now));
    }
    messages = put(messages, known ? { ...known, parts: [] } : answer({ id, chatId, seq, agent, model }, now));
  }
  const detail = { ...state.detail, can_continue: false, continue_refused: "" };
  return { detail, messages, busy: true, error: null, turnFrom: seq - 1 };
}

function synthesis(state: ChatState, frame: FrameOf<"message_start">, now: number): readonly Message[] {
  const { message_id: id, parent_message_id: mainId, seq } = frame;
  const known = state.messages.find((each) => each.id === id);
  if (known) return touch(state.messages, id, (message) => ({ ...message, parts: [] }));
  const main = state.messages.find((each) => each.id === mainId);
  const { agent, model } = main?.metadata.kind === "turn" ? main.metadata : { agent: "", model: "" };
  return put(state.messages, answer({ id, chatId: state.detail.chat.id, seq, agent, model, parent: mainId }, now));
}

function grow(
  messages: readonly Message[],
  frame: { message_id: string },
  change: (parts: Message["parts"]) => Message["parts"],
): readonly Message[] {
  return touch(messages, frame.message_id, (message) => ({ ...message, parts: change(message.parts) }));
}

function withChange(state: ChatState, frame: FrameOf<"change">): Partial<ChatState> {
  const { change_id, path, kind, status, added, removed } = frame;
  const messageId = state.messages.findLast((each) => each.status === "streaming")?.id ?? null;
  const others = state.changes.filter((each) => each.change_id !== change_id);
  return { changes: [...others, { change_id, path, kind, status, added, removed, messageId }] };
}

function withSettled(state: ChatState, frame: FrameOf<"change_settled">): Partial<ChatState> {
  const known = state.changes.find((each) => each.change_id === frame.change_id);
  if (!known) return {};
  const pending = state.detail.pending - (known.status === "pending" && frame.status !== "pending" ? 1 : 0);
  return {
    changes: state.changes.map((each) => (each === known ? { ...each, status: frame.status } : each)),
    detail: { ...state.detail, pending: Math.max(0, pending) },
  };
}

/** The metadata is filled in whatever the message's status is: `message_complete` comes right before this. */
function ended(state: ChatState, frame: FrameOf<"turn_end">): Partial<ChatState> {
  const messages = state.messages.map((each) =>
    each.id === frame.message_id && each.metadata.kind === "turn"
      ? {
          ...each,
          metadata: {
            ...each.metadata,
            stop_reason: frame.stop_reason,
            explanation: frame.explanation,
            steps: frame.steps,
            usage: frame.usage,
            repairs: frame.repairs,
            duration_ms: frame.duration_ms,
          },
        }
      : each,
  );
  return {
    messages,
    busy: false,
    detail: { ...state.detail, can_continue: frame.can_continue, pending: frame.pending },
  };
}
