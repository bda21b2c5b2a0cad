/** The message that is about to be sent again, and how. */
import { create } from "zustand";

import type { AttachmentInfo } from "../api/types";
import { get } from "../state/chatStore";
import type { Message } from "./messages";
import { imagesOf, textOf } from "./messages";

export interface Resending {
  chatId: string;
  projectId: string;
  messageId: string;
  text: string;
  images: AttachmentInfo[];
  agent: string;
  /** It is to be edited, not only repeated. */
  edits: boolean;
  /** The agent remembers the conversation itself. */
  external: boolean;
  /** Files can be restored. */
  checkpoint: boolean;
}

export const useResending = create<{ open: Resending | null }>(() => ({ open: null }));

/** Open the dialog for a user's message, or for the one that an answer belongs to. */
export function lookAtResending(message: Message, edits: boolean): void {
  const state = get(message.chat_id);
  const asked = state && questionFor(state.messages, message);
  if (!asked) return;
  const { chat, checkpoints } = state.detail;
  const after = new Set(state.messages.filter((each) => each.seq >= asked.seq).map((each) => each.id));
  useResending.setState({
    open: {
      chatId: chat.id,
      projectId: chat.project_id,
      messageId: asked.id,
      text: textOf(asked),
      images: imagesOf(asked),
      agent: chat.agent,
      edits,
      external: chat.external,
      checkpoint: checkpoints.some((each) => each.kind === "turn" && each.message_id != null && after.has(each.message_id)),
    },
  });
}

/** The user's message that this belongs to: the message itself, or the last one of theirs before it. */
export function questionFor(messages: readonly Message[], message: Message): Message | undefined {
  return messages.findLast(
    (each) => each.role === "user" && each.seq <= message.seq && !(each.metadata.kind === "prompt" && each.metadata.continues),
  );
}

export function closeResending(): void {
  useResending.setState({ open: null });
}
