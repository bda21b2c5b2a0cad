import { memo, useEffect } from "react";

import { wordsFor } from "../api/client";
import { chatActions } from "../state/chat";
import { chatManagement } from "../state/chatManagement";
import { draftKey, readDraft } from "../state/drafts";
import { serverActions } from "../state/server";
import { Composer } from "./Composer";

interface ChatComposerProps {
  projectId: string;
  chatId: string;
  agent: string;
  busy: boolean;
  elsewhere: boolean;
  focused: boolean;
}

/** A component of its own, because the chat changes with every token. */
export const ChatComposer = memo(function ChatComposer(props: ChatComposerProps) {
  const { projectId, chatId, agent, busy, elsewhere, focused } = props;
  useStopKey(chatId, busy);
  return (
    <Composer
      projectId={projectId}
      draftKey={draftKey.chat(chatId)}
      agent={agent}
      busy={busy}
      elsewhere={elsewhere}
      focused={focused}
      onSend={(text, chosen, model, images) => chatActions.send(chatId, text, chosen, model, images)}
      onQueue={(text, chosen, model, images) => chatManagement.queue(chatId, text, chosen, model, images)}
      onStop={() => {
        stop(chatId);
      }}
    />
  );
});

function stop(chatId: string): void {
  chatActions.abort(chatId).catch((thrown: unknown) => {
    serverActions.toast(wordsFor(thrown));
  });
}

/** Escape stops the turn, unless something else handled it or a half-written message might be meant. */
function useStopKey(chatId: string, busy: boolean): void {
  useEffect(() => {
    if (!busy) return;
    const press = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      const composing = document.activeElement?.closest(".composer") !== null;
      if (composing || readDraft(draftKey.chat(chatId)) === "") stop(chatId);
    };
    window.addEventListener("keydown", press);
    return () => {
      window.removeEventListener("keydown", press);
    };
  }, [chatId, busy]);
}
