/** How later answers of the server are merged into a loaded chat. */
import type { ChangeView, ChatDetail, Frame } from "../api/types";
import { type ChatState, fromDetail } from "./fold";
import { SENDING, newest, put, withoutSending } from "./messages";

/** Replace the messages after a position with the stored ones. */
export function settled(state: ChatState, detail: ChatDetail, after: number, now = Date.now()): ChatState {
  const fresh = fromDetail(detail, now);
  const messages = [...state.messages.filter((each) => each.seq <= after && each.id !== SENDING), ...fresh.messages];
  const sending = state.messages.find((each) => each.id === SENDING);
  const unconfirmed = sending && !fresh.messages.some((each) => each.role === "user" && each.seq >= sending.seq);
  return {
    ...fresh,
    detail: { ...fresh.detail, earlier: state.detail.earlier },
    messages: unconfirmed ? put(messages, { ...sending, seq: newest(messages) + 1 }) : messages,
    busy: fresh.busy || unconfirmed === true,
    texts: { ...state.texts, ...fresh.texts },
    notices: state.notices,
    changes: state.changes,
    error: state.error,
  };
}

export function withEarlier(state: ChatState, detail: ChatDetail): ChatState {
  const first = state.messages[0]?.seq ?? Infinity;
  return {
    ...state,
    detail: { ...state.detail, earlier: detail.earlier },
    messages: [...detail.messages.filter((each) => each.seq < first), ...state.messages],
    texts: { ...detail.texts, ...state.texts },
  };
}

export function withChanges(state: ChatState, changes: readonly ChangeView[]): ChatState {
  return {
    ...state,
    detail: { ...state.detail, pending: changes.filter(({ status }) => status === "pending").length },
    changes: changes.map(({ id, path, kind, status, added, removed, message_id }) => ({
      change_id: id,
      path,
      kind,
      status,
      added,
      removed,
      messageId: message_id,
    })),
  };
}

/** The position after which a chat has to be loaded again, once a turn has ended. */
export function settleAfter({ messages, turnFrom }: ChatState): number {
  const unfinished = messages.find((each) => each.status === "streaming")?.seq;
  const from = Math.min(turnFrom ?? Infinity, unfinished ?? Infinity);
  return Number.isFinite(from) ? from - 1 : newest(withoutSending(messages));
}

/** What to load after these frames, because the store has more: the newest turn, or the whole chat. */
export function whatToLoad(frames: readonly Frame[]): "turn" | "chat" | null {
  if (frames.some((frame) => frame.type === "chat_changed" && frame.trimmed)) return "chat";
  return frames.some((frame) => frame.type === "turn_end" || frame.type === "chat_changed") ? "turn" : null;
}
