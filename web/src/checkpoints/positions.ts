/** Where checkpoints and restores are shown in a chat. Pure. */
import type { SchemaRestoreMarkView as RestoreMarkView } from "../api/schema";
import type { CheckpointView, Message } from "../api/types";

/** The key of markers that no message follows. */
export const AT_THE_END = "";

/** The question of each turn, by the id of its answer. */
export function questionsOf(messages: readonly Message[]): ReadonlyMap<string, string> {
  const questions = new Map<string, string>();
  let question: Message | null = null;
  for (const message of messages) {
    if (message.role === "user") question = message;
    else if (message.role === "assistant" && question) {
      questions.set(message.id, question.id);
      question = null;
    }
  }
  return questions;
}

/** Checkpoints by the answer that they were made for, and by its question too. */
export function withQuestions(
  byAnswer: ReadonlyMap<string, readonly CheckpointView[]>,
  questions: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly CheckpointView[]> {
  const asked = [...byAnswer].flatMap(([answer, own]) => {
    const question = questions.get(answer);
    return question ? [[question, own] as const] : [];
  });
  return new Map([...byAnswer, ...asked]);
}

/** Markers by the message that follows them: the first one after the restore. */
export function marksBefore(
  marks: readonly RestoreMarkView[],
  messages: readonly Message[],
): ReadonlyMap<string, readonly RestoreMarkView[]> {
  const placed = new Map<string, RestoreMarkView[]>();
  for (const mark of marks) {
    const next = messages.find(({ seq }) => seq >= mark.at_seq)?.id ?? AT_THE_END;
    placed.set(next, [...(placed.get(next) ?? []), mark]);
  }
  return placed;
}
