import type { ChatView, Envelope } from "../api/types";
import { type ChatState, foldAll } from "../state/fold";

/** The chats of a run's coder, folded from the run's frames like a chat: at most one per attempt. */
export function turnsOf(projectId: string, envelopes: readonly Envelope[]): ChatState[] {
  const byChat = new Map<string, Envelope[]>();
  let current: Envelope[] | null = null;
  let chatId = "";
  for (const envelope of envelopes) {
    if (envelope.frame.type === "turn_start") {
      chatId = envelope.frame.chat_id;
      current = byChat.get(chatId) ?? [];
      byChat.set(chatId, current);
    }
    // A run has one turn at a time, so what follows a start belongs to it.
    current?.push({ ...envelope, chat_id: chatId });
  }
  return [...byChat].map(([id, own]) => foldAll(emptyChat(projectId, id), own));
}

function emptyChat(projectId: string, chatId: string): ChatState {
  const chat: ChatView = {
    id: chatId,
    project_id: projectId,
    title: "",
    agent: "",
    external: false,
    busy: false,
    pinned: false,
    created_at: 0,
    updated_at: 0,
  };
  return {
    detail: {
      chat,
      earlier: false,
      elsewhere: false,
      context: null,
      can_continue: false,
      continue_refused: "",
      checkpoints: [],
      restores: [],
      pending: 0,
      queued: [],
    },
    messages: [],
    texts: {},
    notices: [],
    asks: [],
    changes: [],
    busy: false,
    waiting: null,
    lastFrameAt: 0,
    error: null,
    seq: -1,
    turnFrom: null,
  };
}
