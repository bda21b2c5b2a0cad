import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { useLocation } from "wouter";

import type { SearchHit } from "../api/types";
import { type Choice, markedPieces, matching } from "../palette";
import { type Shown, routes } from "../routes";
import { chatManagement } from "../state/chatManagement";
import { useServer } from "../state/server";
import { Dialog } from "./Dialog";

/** Milliseconds without a key before messages are searched. */
const SEARCH_AFTER = 200;

/** Goes to a chat, a view or a message, found by a few letters. */
export function Palette({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const list = useId();
  const places = matching(useChoices(shown), typed);
  const hits = useHits(shown.projectId, typed);
  const found = [...places, ...hits];
  const chosen = Math.min(at, found.length - 1);

  const go = (choice: Choice | undefined) => {
    if (!choice) return;
    onClose();
    navigate(choice.href);
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && found.length > 0) setAt((chosen + step + found.length) % found.length);
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) go(found[chosen]);
    else return;
    event.preventDefault();
  };

  return (
    <Dialog title="Switch chats" className="palette" bare onClose={onClose}>
      <input
        className="palette-field"
        type="text"
        placeholder="A chat, a view, or words from a message"
        aria-label="Go to"
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={found[chosen] ? `${list}-${String(chosen)}` : undefined}
        autoComplete="off"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <ul id={list} className="palette-list" role="listbox" aria-label="Places">
        {found.map((choice, index) => (
          <li
            key={choice.id}
            id={`${list}-${String(index)}`}
            className="palette-choice"
            role="option"
            aria-selected={index === chosen}
            ref={index === chosen ? scrollIntoView : undefined}
            onClick={() => {
              go(choice);
            }}
          >
            <span className="palette-title">{choice.title}</span>
            {choice.excerpt ? (
              <span className="palette-excerpt">
                <Marked text={choice.excerpt} marks={choice.marks ?? []} />
              </span>
            ) : (
              <span className="palette-hint">{choice.hint}</span>
            )}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="palette-none">Nothing contains all these words.</p>}
    </Dialog>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

/** Messages of the project's chats that match, once the user has stopped typing. */
function useHits(projectId: string, typed: string): Choice[] {
  const [answer, setAnswer] = useState<{ typed: string; hits: Choice[] }>({ typed: "", hits: [] });
  const wanted = typed.trim();
  useEffect(() => {
    if (wanted.length < 2) return;
    let current = true;
    const timer = window.setTimeout(() => {
      chatManagement.search(projectId, wanted).then(
        (hits) => {
          if (current) setAnswer({ typed: wanted, hits: hits.map((hit) => hitChoice(projectId, hit)) });
        },
        () => undefined, // the connection is lost, and its banner says so
      );
    }, SEARCH_AFTER);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [projectId, wanted]);
  return answer.typed === wanted ? answer.hits : [];
}

function hitChoice(projectId: string, hit: SearchHit): Choice {
  return {
    id: `hit-${hit.message_id}`,
    title: hit.chat_title,
    hint: hit.role === "user" ? "your message" : "answer",
    href: `${routes.chat(projectId, hit.chat_id)}?at=${String(hit.seq)}`,
    excerpt: hit.excerpt,
    marks: hit.marks,
  };
}

function Marked({ text, marks }: { text: string; marks: readonly (readonly [number, number])[] }) {
  return markedPieces(text, marks).map((piece, index) =>
    piece.marked ? <mark key={index}>{piece.text}</mark> : <span key={index}>{piece.text}</span>,
  );
}

/** Chats of the current project first, then other chats, then views. */
function useChoices({ projectId }: Shown): Choice[] {
  const projects = useServer((state) => state.server?.projects) ?? [];
  const chats = useServer((state) => state.chats);
  const fleet = useServer((state) => state.server?.fleet) ?? false;
  const ordered = projects.toSorted((one, other) => Number(other.id === projectId) - Number(one.id === projectId));
  const ofChats = ordered.flatMap(({ id, name }) =>
    (chats[id] ?? []).map((chat) => ({
      id: chat.id,
      title: chat.title,
      hint: name,
      href: routes.chat(id, chat.id),
    })),
  );
  const views = ordered.flatMap(({ id, name }) =>
    [
      { title: "New chat", href: routes.project(id) },
      { title: "Changes", href: routes.changes(id) },
      { title: "Runs", href: routes.runs(id) },
      ...(fleet ? [{ title: "Fleet", href: routes.fleet(id) }] : []),
      { title: "Map", href: routes.map(id) },
      { title: "Checkpoints", href: routes.checkpoints(id) },
      { title: "Settings", href: routes.settings(id) },
    ].map((view) => ({ ...view, id: view.href, hint: name })),
  );
  return [...ofChats, ...views];
}
