/** Managing chats: rename, pin, delete, search, fork, resend, queue. */
import { ApiError, api, call, wordsFor } from "../api/client";
import type { AttachmentInfo, DeletedChat, SearchHit } from "../api/types";
import { load } from "./chatLoading";
import { forget } from "./chatStore";
import { given } from "./draftImages";
import { serverActions } from "./server";

function at(chatId: string) {
  return { path: { chat_id: chatId } };
}

export const chatManagement = {
  async rename(chatId: string, title: string): Promise<void> {
    await call(api.PATCH("/api/chats/{chat_id}", { params: at(chatId), body: { title } }));
  },

  async pin(chatId: string, pinned: boolean): Promise<void> {
    await call(api.PATCH("/api/chats/{chat_id}", { params: at(chatId), body: { pinned } }));
  },

  /** Delete the chat, and offer to undo that. */
  async remove(projectId: string, chatId: string): Promise<void> {
    forget(chatId);
    const { title } = await call(api.DELETE("/api/chats/{chat_id}", { params: at(chatId) })).catch((thrown: unknown) => {
      void load(chatId);
      throw thrown;
    });
    serverActions.toast(`“${title}” was deleted.`, {
      label: "Undo",
      run: () => {
        chatManagement.restore(projectId, chatId).catch((thrown: unknown) => {
          serverActions.toast(wordsFor(thrown));
        });
      },
    });
  },

  async restore(projectId: string, chatId: string): Promise<void> {
    const params = { path: { project_id: projectId, chat_id: chatId } };
    await call(api.POST("/api/projects/{project_id}/deleted-chats/{chat_id}/restore", { params }));
  },

  deleted(projectId: string): Promise<DeletedChat[]> {
    return call(api.GET("/api/projects/{project_id}/deleted-chats", { params: { path: { project_id: projectId } } }));
  },

  search(projectId: string, words: string): Promise<SearchHit[]> {
    const params = { path: { project_id: projectId }, query: { q: words } };
    // Pairs: the client's types make lists of them.
    return call(api.GET("/api/projects/{project_id}/search", { params })) as Promise<SearchHit[]>;
  },

  /** Copy a chat up to a message. Returns the new chat's id. */
  async fork(chatId: string, messageId: string): Promise<string> {
    const made = await call(api.POST("/api/chats/{chat_id}/fork", { params: at(chatId), body: { message_id: messageId } }));
    return made.id;
  },

  /** Send this instead of an earlier message. Returns the chat that it was sent to. */
  async resend(chatId: string, again: Again): Promise<string> {
    const { chat_id: answered } = await call(api.POST("/api/chats/{chat_id}/resend", { params: at(chatId), body: again }));
    if (!answered) throw new ApiError(502, "The server did not start a turn.");
    return answered;
  },

  async queue(chatId: string, text: string, agent?: string, model?: string, images: readonly AttachmentInfo[] = []): Promise<void> {
    const body = { text, agent: agent ?? null, model: model ?? null, images: given(images) };
    await call(api.POST("/api/chats/{chat_id}/queue", { params: at(chatId), body }));
  },

  async sendQueued(chatId: string): Promise<void> {
    await call(api.POST("/api/chats/{chat_id}/queue/send", { params: at(chatId) }));
  },

  async editQueued(chatId: string, queuedId: string, text: string): Promise<void> {
    const params = { path: { chat_id: chatId, queued_id: queuedId } };
    await call(api.PUT("/api/chats/{chat_id}/queue/{queued_id}", { params, body: { text } }));
  },

  async removeQueued(chatId: string, queuedId: string): Promise<void> {
    const params = { path: { chat_id: chatId, queued_id: queuedId } };
    await call(api.DELETE("/api/chats/{chat_id}/queue/{queued_id}", { params }));
  },
};

export interface Again {
  message_id: string;
  text: string;
  agent?: string | null;
  model?: string | null;
  images: { digest: string; name: string }[];
  where: "here" | "fork";
}

export function exportHref(chatId: string, format: "markdown" | "json"): string {
  return `/api/chats/${chatId}/export?format=${format}`;
}
