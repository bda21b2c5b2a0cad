/** Chats that are or were recently open: kept up to date by frames, and the actions on them. */
import { useEffect } from "react";

import { ApiError, api, call } from "../api/client";
import type { AttachmentInfo, Envelope } from "../api/types";
import { pollIfElsewhere, loadMore, frameBuffer, changeFrames, load, loadEarlier, settle } from "./chatLoading";
import { forgetOldest, get, update, useChats, watched } from "./chatStore";
import { given } from "./draftImages";
import { type ChatState, foldAll } from "./fold";
import { withoutSending } from "./messages";
import { accepted, firstMessages, failures, returnToComposer, withSending } from "./sending";
import { onConnection, onEnvelopes, onReload } from "./socket";

export type { ChangeInChat, ChatMeta, ChatState, Notice, Waiting } from "./fold";

export function useChat(chatId: string): ChatState | undefined {
  useEffect(() => watch(chatId), [chatId]);
  return useChats((state) => state.chats[chatId]);
}

export function useChatProblem(chatId: string): string | undefined {
  return useChats((state) => state.problems[chatId]);
}

export interface Answer {
  granted: boolean;
  remember?: "network" | "command";
  /** With a refusal; the model reads it. */
  reason?: string;
}

export const chatActions = {
  load,
  loadEarlier,

  /** Send a message. It is shown immediately; if the server refuses, it is removed again and the error thrown. */
  async send(chatId: string, text: string, agent?: string, model?: string, images: readonly AttachmentInfo[] = []): Promise<void> {
    accepted.delete(chatId);
    update(chatId, (state) => ({ ...withSending(state, { text, images }), error: null }));
    try {
      const body = { text, agent: agent ?? null, model: model ?? null, images: given(images) };
      await call(api.POST("/api/chats/{chat_id}/messages", { params: { path: { chat_id: chatId } }, body }));
      accepted.add(chatId);
    } catch (thrown) {
      update(chatId, (state) => ({ ...state, messages: withoutSending(state.messages), busy: false }));
      void settle(chatId);
      throw thrown;
    }
  },

  /** Start a chat. Returns its id. */
  async begin(
    projectId: string,
    text: string,
    agent?: string,
    model?: string,
    images: readonly AttachmentInfo[] = [],
  ): Promise<string> {
    const body = { text, agent: agent ?? null, model: model ?? null, images: given(images) };
    const params = { path: { project_id: projectId } };
    const { chat_id: chatId } = await call(api.POST("/api/projects/{project_id}/chats", { params, body }));
    if (!chatId) throw new ApiError(502, "The server did not start a chat.");
    firstMessages.set(chatId, { text, images });
    accepted.add(chatId);
    return chatId;
  },

  async abort(chatId: string): Promise<void> {
    await call(api.POST("/api/chats/{chat_id}/abort", { params: { path: { chat_id: chatId } } }));
  },

  async continueTurn(chatId: string): Promise<void> {
    update(chatId, (state) => ({ ...state, busy: true, detail: { ...state.detail, can_continue: false } }));
    try {
      await call(api.POST("/api/chats/{chat_id}/continue", { params: { path: { chat_id: chatId } } }));
    } catch (thrown) {
      void settle(chatId);
      throw thrown;
    }
  },

  async compact(chatId: string): Promise<void> {
    await call(api.POST("/api/chats/{chat_id}/compact", { params: { path: { chat_id: chatId } } }));
  },

  async answer(askId: string, given: Answer): Promise<void> {
    await call(api.POST("/api/asks/{ask_id}", { params: { path: { ask_id: askId } }, body: { reason: "", ...given } }));
  },
};

onEnvelopes((envelopes) => {
  for (const envelope of envelopes) prepare(envelope);
  const { chats } = useChats.getState();
  const touched: Record<string, ChatState> = {};
  for (const [chatId, state] of Object.entries(chats)) {
    const next = foldAll(state, envelopes);
    if (next !== state) touched[chatId] = next;
  }
  if (Object.keys(touched).length > 0) useChats.setState({ chats: { ...chats, ...touched } });
  // A chat that is still loading does this itself, once it is loaded.
  for (const chatId of new Set(envelopes.map((each) => each.chat_id))) {
    if (!chatId || !get(chatId)) continue;
    void loadMore(
      chatId,
      envelopes.filter((each) => each.chat_id === chatId),
    );
  }
});

onReload(() => {
  frameBuffer.clear();
  const { chats } = useChats.getState();
  const shown = Object.entries(chats).filter(([chatId]) => watched.get(chatId));
  useChats.setState({ chats: Object.fromEntries(shown), problems: {} });
  loadWatched(() => true);
});

onConnection((connection) => {
  if (connection === "open") loadWatched((chatId) => !get(chatId) && !frameBuffer.loading(chatId));
});

function loadWatched(which: (chatId: string) => boolean): void {
  for (const [chatId, views] of watched) if (views > 0 && which(chatId)) void load(chatId);
}

function watch(chatId: string): () => void {
  const views = watched.get(chatId) ?? 0;
  watched.delete(chatId);
  watched.set(chatId, views + 1);
  if (get(chatId)) pollIfElsewhere(chatId);
  else if (!frameBuffer.loading(chatId)) void load(chatId);
  forgetOldest();
  return () => {
    watched.set(chatId, Math.max(0, (watched.get(chatId) ?? 0) - 1));
  };
}

/** Before a frame is folded: save what it would overwrite. */
function prepare(envelope: Envelope): void {
  const { chat_id: chatId, project_id: projectId, frame } = envelope;
  if (frame.type === "change" || frame.type === "change_settled") changeFrames.add(projectId);
  if (!chatId) return;
  frameBuffer.add(chatId, envelope);
  if (frame.type !== "work_failed") return;
  if (get(chatId)) returnToComposer(chatId);
  else failures.set(chatId, frame.error);
}
