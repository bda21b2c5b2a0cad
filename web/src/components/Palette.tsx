import { type KeyboardEvent, useId, useState } from "react";
import { useLocation } from "wouter";

import { type Choice, matching } from "../palette";
import { type Shown, routes } from "../routes";
import { useServer } from "../state/server";
import { Dialog } from "./Dialog";

/** Go to a chat, or another view, by a few letters of its name. */
export function Palette({ shown, onClose }: { shown: Shown; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const [, navigate] = useLocation();
  const list = useId();
  const found = matching(useChoices(shown), typed);
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
        placeholder="A chat, a project, a view"
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
            <span className="palette-hint">{choice.hint}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="palette-none">Nothing has all these words.</p>}
    </Dialog>
  );
}

function scrollIntoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "nearest" });
}

/** Chats of the project one is in come first, then other chats, then views. */
function useChoices({ projectId }: Shown): Choice[] {
  const projects = useServer((state) => state.server?.projects) ?? [];
  const chats = useServer((state) => state.chats);
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
      { title: "Map", href: routes.map(id) },
      { title: "Checkpoints", href: routes.checkpoints(id) },
      { title: "Settings", href: routes.settings(id) },
    ].map((view) => ({ ...view, id: view.href, hint: name })),
  );
  return [...ofChats, ...views];
}
