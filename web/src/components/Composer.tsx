import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useId, useRef, useState } from "react";

import { wordsFor } from "../api/client";
import type { AttachmentInfo } from "../api/types";
import { modeOf, whyNotSend } from "../composing";
import { writeAgentChoice, readAgentChoice } from "../state/agentChoice";
import { addImages, readImages, useImages, writeImages } from "../state/draftImages";
import { readDraft, useDraft, writeDraft } from "../state/drafts";
import { useProject, useServer } from "../state/server";
import { Button, IconButton } from "./Button";
import { Choosers } from "./Choosers";
import { GrowingField } from "./GrowingField";
import { ImageStrip } from "./ImageStrip";
import { NameOffers, useNameOffers } from "./NameOffers";

/** Without a real keyboard, Enter is the only way to a new line, and the button is close. */
const byTouch = window.matchMedia("(pointer: coarse)").matches;

const QUEUES = "A turn is running: Enter queues your message until it ends.";

type Say = (text: string, agent?: string, model?: string, images?: readonly AttachmentInfo[]) => Promise<void>;

interface ComposerProps {
  projectId: string;
  /** The key of the draft. */
  draftKey: string;
  /** The chat's own agent; null for a new chat. */
  agent: string | null;
  busy: boolean;
  elsewhere: boolean;
  /** Focus the field. */
  focused?: boolean;
  onSend: Say;
  onStop?: () => void;
  /** While a turn is running: queue the message. */
  onQueue?: Say;
}

export function Composer(props: ComposerProps) {
  const { projectId, draftKey, agent, busy, elsewhere, focused = false, onSend, onStop, onQueue } = props;
  const text = useDraft(draftKey);
  const images = useImages(draftKey);
  const [dropping, setDropping] = useState(false);
  const picker = useRef<HTMLInputElement>(null);
  const connection = useServer((state) => state.connection);
  const { agents = [], models, defaultAgent } = useProject(projectId);
  const remembered = readAgentChoice(projectId);
  const [chosenAgent, setAgent] = useState<string | null>(null);
  const [model, setModel] = useState("");
  const [sending, setSending] = useState(false);
  const [adding, setAdding] = useState(0);
  const [problem, setProblem] = useState<string | null>(null);
  const hint = useId();
  const list = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const names = useNameOffers(projectId, text, field, (made) => {
    writeDraft(draftKey, made);
  });

  // A chat keeps its agent; a new one starts with the last choice for this project, if that is still available.
  const usable = remembered && (agents.length === 0 || agents.some((each) => each.here && each.name === remembered.agent));
  const answering = chosenAgent ?? agent ?? (usable ? remembered.agent : (defaultAgent ?? null));
  const kind = agents.find((each) => each.name === answering)?.kind ?? "native";
  const mode = modeOf(answering, agents, remembered);
  const noModel = kind === "native" && model === "" && models?.setup === "missing";
  const chooseAgent = (name: string | null) => {
    setAgent(name);
    if (name !== null) writeAgentChoice(projectId, { agent: name, mode: modeOf(name, agents, null) });
  };
  const queues = busy && !elsewhere && onQueue !== undefined;
  const why = whyNotSend({ text, busy: busy && !queues, elsewhere, sending, adding: adding > 0, connection, noModel });
  const send = async () => {
    if (why !== null) return;
    setSending(true);
    setProblem(null);
    writeDraft(draftKey, "");
    writeImages(draftKey, []);
    try {
      await (queues ? onQueue : onSend)(text, answering ?? undefined, model.trim() || undefined, images);
    } catch (thrown) {
      // A refused message returns to the field, unless a new one was begun meanwhile.
      if (!readDraft(draftKey)) writeDraft(draftKey, text);
      if (readImages(draftKey).length === 0) writeImages(draftKey, images);
      setProblem(wordsFor(thrown));
    } finally {
      setSending(false);
    }
  };
  const add = (event: { preventDefault: () => void } | null, files: FileList | null) => {
    const found = [...(files ?? [])].filter((file) => file.type.startsWith("image/"));
    if (found.length === 0) return;
    event?.preventDefault();
    setProblem(null);
    setAdding((count) => count + 1);
    addImages(projectId, draftKey, found)
      .catch((thrown: unknown) => {
        setProblem(wordsFor(thrown));
      })
      .finally(() => {
        setAdding((count) => count - 1);
      });
  };
  const drag = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setDropping(true);
  };
  const press = (event: KeyboardEvent) => {
    if (names.press(event)) return;
    if (event.key !== "Enter" || event.nativeEvent.isComposing || event.shiftKey || event.altKey) return;
    if (byTouch && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    void send();
  };

  return (
    <form
      className="composer"
      aria-label="Message"
      onPaste={(event: ClipboardEvent) => {
        add(event, event.clipboardData.files);
      }}
      onDragOver={drag}
      onDragLeave={() => {
        setDropping(false);
      }}
      onDrop={(event) => {
        setDropping(false);
        add(event, event.dataTransfer.files);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      {problem && (
        <p className="composer-problem" role="alert">
          {problem}
        </p>
      )}
      <div className={dropping ? "composer-box composer-dropping" : "composer-box"}>
        <ImageStrip
          projectId={projectId}
          images={images}
          onRemove={(image) => {
            writeImages(
              draftKey,
              images.filter((each) => each !== image),
            );
          }}
        />
        <GrowingField
          field={field}
          value={text}
          autoFocus={focused && !byTouch}
          placeholder={agent !== null ? "Reply" : mode === "edit" ? "What should be changed?" : "What do you want to know?"}
          aria-label="Your message"
          aria-describedby={hint}
          aria-autocomplete="list"
          aria-controls={names.offers.length > 0 ? list : undefined}
          aria-activedescendant={names.offers.length > 0 ? `${list}-${String(names.at)}` : undefined}
          onChange={(event) => {
            writeDraft(draftKey, event.target.value);
          }}
          onKeyDown={press}
        />
        <div className="composer-row">
          <Choosers
            projectId={projectId}
            agent={answering}
            mode={mode}
            fixed={agent !== null && kind === "external"}
            model={model}
            onAgent={chooseAgent}
            onModel={setModel}
          />
          <input
            ref={picker}
            type="file"
            accept="image/*"
            multiple
            hidden
            onChange={(event) => {
              add(null, event.target.files);
              event.target.value = "";
            }}
          />
          <IconButton icon="image" label="Add an image" className="composer-image" onClick={() => picker.current?.click()} />
          {busy && onStop && !elsewhere ? (
            <>
              {queues && text.trim() !== "" && (
                <Button look="primary" icon="clock" submit disabled={why !== null} aria-describedby={hint}>
                  Send next
                </Button>
              )}
              <Button icon="stop" onClick={onStop}>
                Stop
              </Button>
            </>
          ) : (
            <Button look="primary" icon="send" submit disabled={why !== null} aria-describedby={hint}>
              Send
            </Button>
          )}
        </div>
      </div>
      <NameOffers id={list} offers={names.offers} at={names.at} onChoose={names.choose} />
      <p id={hint} className="composer-hint">
        {why ? why : !byTouch && (queues ? QUEUES : "Enter sends, Shift+Enter starts a new line, @ names a file or a symbol. You can paste images.")}
      </p>
    </form>
  );
}
