import { Suspense, lazy, useState } from "react";
import { useHistoryState } from "wouter/use-browser-location";

import { Conversation } from "../conversation/Conversation";
import { ResendDialog } from "../conversation/ResendDialog";
import { useNotificationOffer } from "../notifying";
import { JUST_STARTED } from "../routes";
import { chatActions, useChat, useChatProblem } from "../state/chat";
import { plural } from "../conversation/amounts";
import { Button } from "./Button";
import { ChatComposer } from "./ChatComposer";
import { QueuedMessages } from "./QueuedMessages";
import { Sheet } from "./Sheet";
import { StaleBanner } from "./StaleBanner";

const ChangesPanel = lazy(() => import("../changes/ChangesPanel").then((module) => ({ default: module.ChangesPanel })));

export function ChatPage({ projectId, chatId }: { projectId: string; chatId: string }) {
  const state = useChat(chatId);
  const problem = useChatProblem(chatId);
  const [panel, setPanel] = useState(false);
  const justBegun = useHistoryState<unknown>() === JUST_STARTED;

  if (!state) return <NotThere chatId={chatId} problem={problem} />;
  const { chat, elsewhere, pending } = state.detail;
  return (
    <div className="chat-page">
      <div className="chat-page-column">
        <Conversation chatId={chatId} />
        <div className="chat-page-foot">
          <StaleBanner chatId={chatId} />
          {pending > 0 && !panel && (
            <Button
              icon="diff"
              className="chat-page-changes"
              onClick={() => {
                setPanel(true);
              }}
            >
              {plural(pending, "pending change")}
            </Button>
          )}
          <QueuedMessages chatId={chatId} queued={state.detail.queued} busy={state.busy} />
          {state.busy && <NotificationOffer />}
          <ChatComposer
            projectId={projectId}
            chatId={chatId}
            agent={chat.agent}
            busy={state.busy}
            elsewhere={elsewhere}
            focused={justBegun}
          />
        </div>
      </div>
      <ResendDialog />
      {panel && (
        <Sheet
          title="Changes of this chat"
          onClose={() => {
            setPanel(false);
          }}
        >
          <Suspense fallback={<p className="page-loading">Loading…</p>}>
            <ChangesPanel projectId={projectId} chatId={chatId} />
          </Suspense>
        </Sheet>
      )}
    </div>
  );
}

function NotificationOffer() {
  const { offered, ask } = useNotificationOffer();
  return (
    offered && (
      <button type="button" className="text-button chat-page-notify" onClick={ask}>
        Notify me when it ends or needs me
      </button>
    )
  );
}

function NotThere({ chatId, problem }: { chatId: string; problem: string | undefined }) {
  if (!problem) return <p className="page-loading">Loading…</p>;
  return (
    <div className="page-alone">
      <h2>This chat can&rsquo;t be shown</h2>
      <p role="alert">{problem}</p>
      <Button onClick={() => void chatActions.load(chatId)}>Try again</Button>
    </div>
  );
}
