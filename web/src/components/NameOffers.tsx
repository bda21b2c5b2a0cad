import { type KeyboardEvent, type RefObject, useEffect, useState } from "react";

import { api, call } from "../api/client";
import type { CompletionView } from "../api/types";
import { type PartialName, partialNameBefore, completed, worthShowing } from "../completing";

/** Milliseconds without a key before names are requested. */
const PAUSE = 120;

interface Offering {
  /** The field's text when they were requested. */
  text: string;
  partial: PartialName;
  offers: CompletionView[];
  at: number;
}

/** Completions for the name being typed in a field, and the keys that choose one. */
export function useNameOffers(
  projectId: string,
  text: string,
  field: RefObject<HTMLTextAreaElement | null>,
  onText: (text: string) => void,
) {
  const [found, setFound] = useState<Offering | null>(null);
  useEffect(() => {
    const element = field.current;
    const partial = element && document.activeElement === element ? partialNameBefore(text, element.selectionStart) : null;
    if (partial === null) return;
    let current = true;
    const timer = window.setTimeout(() => {
      loadOffers(projectId, partial.text).then(
        (offers) => {
          if (current) setFound({ text, partial, offers: worthShowing(offers, partial.text), at: 0 });
        },
        () => undefined, // the connection is lost, and its banner says so
      );
    }, PAUSE);
    return () => {
      current = false;
      window.clearTimeout(timer);
    };
  }, [projectId, text, field]);

  const offering = found?.text === text ? found : null;
  const offers = offering?.offers ?? [];
  const at = offering?.at ?? 0;
  const choose = (offer: CompletionView | undefined) => {
    if (!offer || !offering) return;
    const made = completed(text, offering.partial, offer.text);
    onText(made.text);
    // The field has its new text after the next render, with the cursor at its end.
    requestAnimationFrame(() => {
      // The user may have typed more meanwhile.
      if (field.current?.value === made.text) field.current.setSelectionRange(made.cursor, made.cursor);
    });
    field.current?.focus();
  };
  /** Whether the list handled the key. */
  const press = (event: KeyboardEvent): boolean => {
    if (offering === null || offers.length === 0 || event.nativeEvent.isComposing || event.shiftKey || event.altKey) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setFound({ ...offering, at: (at + step + offers.length) % offers.length });
    else if (event.key === "Enter" || event.key === "Tab") choose(offers[at]);
    else if (event.key === "Escape") setFound(null);
    else return false;
    event.preventDefault();
    return true;
  };
  return { offers, at, choose, press };
}

interface Props {
  id: string;
  offers: CompletionView[];
  at: number;
  onChoose: (offer: CompletionView) => void;
}

export function NameOffers({ id, offers, at, onChoose }: Props) {
  if (offers.length === 0) return null;
  return (
    <ul id={id} className="name-offers" role="listbox" aria-label="Names that fit">
      {offers.map((offer, index) => (
        <li
          key={offer.text}
          id={`${id}-${String(index)}`}
          className="name-offer"
          role="option"
          aria-selected={index === at}
          onMouseDown={(event) => {
            // Keep the focus in the field.
            event.preventDefault();
            onChoose(offer);
          }}
        >
          <span className="name-offer-name">{offer.text}</span>
          <span className="name-offer-about">{offer.about || offer.kind}</span>
        </li>
      ))}
    </ul>
  );
}

function loadOffers(projectId: string, partial: string): Promise<CompletionView[]> {
  const params = { path: { project_id: projectId }, query: { begun: partial } };
  return call(api.GET("/api/projects/{project_id}/completions", { params }));
}
