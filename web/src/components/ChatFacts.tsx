import { wordsFor } from "../api/client";
import { contextUse } from "../context";
import { instructionsSent } from "../instructions";
import { chatActions, useChat } from "../state/chat";
import { serverActions } from "../state/server";
import { Button } from "./Button";
import { ContextMeter } from "./ContextMeter";

/** A chat's agent, its instructions, and how full the model's context is. */
export function ChatFacts({ chatId }: { chatId: string }) {
  const state = useChat(chatId);
  if (!state) return null;
  const { chat, context } = state.detail;
  const turn = state.messages.findLast((each) => each.metadata.kind === "turn")?.metadata;
  const { agent, model } = turn?.kind === "turn" ? turn : { agent: chat.agent, model: "" };
  const instructions = turn?.kind === "turn" ? instructionsSent(turn.instructions) : null;
  return (
    <div className="chat-facts">
      <p className="chat-facts-who" title={model ? `${agent}, ${model}` : agent}>
        <span className="visually-hidden">Answered by </span>
        {agent}
        {model && <span className="chat-facts-model">{model}</span>}
      </p>
      {instructions && (
        <p className="chat-facts-instructions" title={instructions.words}>
          <span className="visually-hidden">Instructions: </span>
          {instructions.short}
        </p>
      )}
      {context && <ContextMeter context={context} />}
      {context && !state.busy && contextUse(context).fullness !== "calm" && (
        <Button
          look="quiet"
          icon="compress"
          onClick={() => {
            chatActions.compact(chatId).catch((thrown: unknown) => {
              serverActions.toast(wordsFor(thrown));
            });
          }}
        >
          Compact
        </Button>
      )}
    </div>
  );
}
