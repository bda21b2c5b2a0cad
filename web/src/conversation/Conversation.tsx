import "../styles/conversation.css";

import { useMemo } from "react";

import { type ChatState, useChat } from "../state/chat";
import { questionOf } from "../state/question";
import { AskCard } from "./AskCard";
import { AskedContext } from "./CallLine";
import { Earlier } from "./Earlier";
import { JumpButton } from "./JumpButton";
import { KeepPosition } from "./KeepPosition";
import { MessageRows } from "./MessageRows";
import { QuestionCard } from "./QuestionCard";
import { useArrival } from "./useArrival";
import { useFollowing } from "./useFollowing";
import { useMessageKeys } from "./useMessageKeys";
import { WaitingContext } from "./WaitingLine";
import { statusWords } from "./words";

/** A loaded chat. It fills its container, and scrolls in it. */
export function Conversation({ chatId }: { chatId: string }) {
  const state = useChat(chatId);
  return state && <Loaded key={chatId} chatId={chatId} state={state} />;
}

function Loaded({ chatId, state }: { chatId: string; state: ChatState }) {
  const { messages, asks, busy, error } = state;
  const asked = useMemo(() => new Set(asks.map(({ what }) => what)), [asks]);
  const question = busy ? null : questionOf(messages);
  const { scroller, content, onScroll, following, fresh, jump } = useFollowing(messages);
  useMessageKeys(scroller);
  useArrival(chatId, scroller);
  return (
    <div className="conversation">
      <div
        ref={scroller}
        className="conversation-scroller"
        tabIndex={0}
        role="region"
        aria-label="Conversation"
        onScroll={onScroll}
      >
        <div ref={content} className="conversation-content">
          {state.detail.earlier && <Earlier chatId={chatId} scroller={scroller} />}
          <KeepPosition scroller={scroller} firstSeq={messages[0]?.seq ?? 0}>
            <WaitingContext value={state.waiting}>
              <AskedContext value={asked}>
                <MessageRows chatId={chatId} state={state} />
              </AskedContext>
            </WaitingContext>
          </KeepPosition>
          {asks.map((ask) => (
            <AskCard key={ask.id} ask={ask} />
          ))}
          {question && <QuestionCard chatId={chatId} question={question} />}
          {error && (
            <p className="conversation-error" role="alert">
              {error}
            </p>
          )}
        </div>
      </div>
      {!following && <JumpButton fresh={fresh} onJump={jump} />}
      <p className="visually-hidden" role="status">
        {statusWords(messages.findLast((message) => message.role === "assistant"), busy, asks.length)}
      </p>
    </div>
  );
}
