import { Suspense, lazy } from "react";
import { Link, useLocation } from "wouter";

import type { AttachmentInfo, ModelsView } from "../api/types";
import { modelSentence } from "../composing";
import { JUST_STARTED, routes } from "../routes";
import { chatActions } from "../state/chat";
import { draftKey, writeDraft } from "../state/drafts";
import { useProject } from "../state/server";
import { Composer } from "./Composer";

const SetupCard = lazy(() => import("../setup/SetupCard").then((module) => ({ default: module.SetupCard })));

const examples = [
  "Explain how this project is built: where it starts, what its parts are, and how they fit together.",
  "Find the least tested part of this project and suggest three tests for it.",
];

export function NewChatPage({ projectId }: { projectId: string }) {
  const [, navigate] = useLocation();
  const { project, models, chats } = useProject(projectId);
  const key = draftKey.newChat(projectId);

  const begin = async (text: string, agent?: string, model?: string, images?: readonly AttachmentInfo[]) => {
    const chatId = await chatActions.begin(projectId, text, agent, model, images);
    navigate(routes.chat(projectId, chatId), { state: JUST_STARTED });
  };

  return (
    <div className="new-chat">
      <div className="new-chat-words">
        <h2>What shall we try in {project?.name}?</h2>
        {chats?.length === 0 && (
          <ul className="new-chat-lines">
            <li>Ask about the code. Agents read and search it themselves.</li>
            <li>Change it. Every change stays pending until you apply or reject it.</li>
            {project?.git && <li>Let a fix run work until the project&rsquo;s own tests pass.</li>}
            <li>You can undo anything that goes wrong. Everybody gets a second try here, models too.</li>
          </ul>
        )}
        <ModelOrSetup projectId={projectId} models={models} />
        {models?.setup !== "missing" && <Examples draft={key} />}
      </div>
      <Composer
        key={projectId}
        projectId={projectId}
        draftKey={key}
        agent={null}
        busy={false}
        elsewhere={false}
        focused
        onSend={begin}
      />
    </div>
  );
}

function Examples({ draft }: { draft: string }) {
  return (
    <>
      <h3>Try one of these</h3>
      <ul className="new-chat-examples">
        {examples.map((example) => (
          <li key={example}>
            <button
              type="button"
              className="new-chat-example"
              onClick={() => {
                writeDraft(draft, example);
                document.querySelector<HTMLElement>(".composer textarea")?.focus();
              }}
            >
              {example}
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Which model answers; if there is none, or the user has not chosen among several, how to set one up. */
function ModelOrSetup({ projectId, models }: { projectId: string; models: ModelsView | undefined }) {
  return (
    <>
      <p className="new-chat-model" role="status">
        {models ? modelSentence(models) : "Looking for a model…"}{" "}
        {models?.setup === "ready" && <Link href={routes.settings(projectId)}>Change</Link>}
      </p>
      {models && models.setup !== "ready" && (
        <Suspense fallback={null}>
          <SetupCard projectId={projectId} models={models} />
        </Suspense>
      )}
    </>
  );
}
