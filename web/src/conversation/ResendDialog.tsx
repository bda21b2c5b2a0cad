import { useState } from "react";
import { useLocation } from "wouter";

import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { GrowingField } from "../components/GrowingField";
import { ImageStrip } from "../components/ImageStrip";
import { routes } from "../routes";
import { chatManagement } from "../state/chatManagement";
import { given } from "../state/draftImages";
import { useProject } from "../state/server";
import { closeResending, type Resending, useResending } from "./resending";
import { useAttempt } from "./useAttempt";

export function ResendDialog() {
  const open = useResending((state) => state.open);
  return open && <Opened key={open.messageId} open={open} />;
}

/** Sends a message again: edited, to another agent or model, here or in a new chat. */
function Opened({ open }: { open: Resending }) {
  const { agents = [], models } = useProject(open.projectId);
  const [text, setText] = useState(open.text);
  const [images, setImages] = useState(open.images);
  const [agent, setAgent] = useState(open.agent);
  const [model, setModel] = useState("");
  const [, navigate] = useLocation();
  const { problem, underWay, attempt } = useAttempt();
  const answering = agents.filter((each) => each.here && (each.kind === "external") === open.external);
  const named = [...(models?.found ?? []).map((each) => each.name), ...(models?.embedded ?? []).filter((each) => each.present).map((each) => each.name)];
  const send = (where: "here" | "fork") => {
    attempt(async () => {
      const again = { message_id: open.messageId, text, agent, model: model || null, images: given(images), where };
      const chatId = await chatManagement.resend(open.chatId, again);
      closeResending();
      navigate(routes.chat(open.projectId, chatId));
    });
  };
  const nothing = text.trim() === "" || underWay;
  return (
    <Dialog title={open.edits ? "Edit and send again" : "Try again"} className="resend" onClose={closeResending}>
      <GrowingField
        value={text}
        className="resend-text"
        aria-label="Your message"
        data-first-focus
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <ImageStrip
        projectId={open.projectId}
        images={images}
        onRemove={(image) => {
          setImages(images.filter((each) => each !== image));
        }}
      />
      <div className="resend-who">
        <label>
          Agent
          <select
            value={agent}
            onChange={(event) => {
              setAgent(event.target.value);
            }}
          >
            {!answering.some((each) => each.name === agent) && <option value={agent}>{agent}</option>}
            {answering.map((each) => (
              <option key={each.name} value={each.name}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <label>
          Model
          <select
            value={model}
            onChange={(event) => {
              setModel(event.target.value);
            }}
          >
            <option value="">unchanged</option>
            {named.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p className="resend-words">
        {open.checkpoint
          ? "Here: files and chat are restored to before this message. A checkpoint of the current state is taken first, so you can undo it."
          : "Here: this message and everything after it leave the chat. They stay in the deleted chats for seven days."}
        {!open.external && " In a new chat: nothing here changes, and files stay as they are."}
      </p>
      {problem && (
        <p role="alert" className="composer-problem">
          {problem}
        </p>
      )}
      <div className="card-buttons">
        <Button
          look="primary"
          disabled={nothing}
          onClick={() => {
            send("here");
          }}
        >
          {open.checkpoint ? "Restore files and send here" : "Send here"}
        </Button>
        {!open.external && (
          <Button
            disabled={nothing}
            onClick={() => {
              send("fork");
            }}
          >
            Send in a new chat
          </Button>
        )}
        <Button look="quiet" onClick={closeResending}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}
