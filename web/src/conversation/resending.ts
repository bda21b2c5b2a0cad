/** The message that is about to be said again, and how. */
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
  /** It is to be said differently, not only again. */
  edits: boolean;
  /** The agent remembers the conversation itself. */
  external: boolean;
  /** Files can return to where they were. */
  checkpoint: boolean;
}

export const useResending = create<{ open: Resending | null }>(() => ({ open: null }));

/** Open the dialog for what a person said, or for what an answer answers. */
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

/** What the person said that this belongs to: the message itself, or the last of theirs before it. */
export function questionFor(messages: readonly Message[], message: Message): Message | undefined {
  return messages.findLast(
    (each) => each.role === "user" && each.seq <= message.seq && !(each.metadata.kind === "prompt" && each.metadata.continues),
  );
}

export function closeResending(): void {
  useResending.setState({ open: null });
}
