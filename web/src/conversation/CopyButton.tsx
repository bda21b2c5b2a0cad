import { type RefObject, useEffect, useState } from "react";

import { Icon } from "../icons";

const SHOWN_MS = 2000;

/** Copies a text, or that of an element. Where a page may not copy (no secure context), it selects the element instead. */
export function CopyButton({ of, text }: { of?: RefObject<HTMLElement | null>; text?: string }) {
  const [words, setWords] = useState("Copy");
  useEffect(() => {
    if (words === "Copy") return;
    const timer = setTimeout(() => {
      setWords("Copy");
    }, SHOWN_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [words]);
  const copy = async () => {
    const element = of?.current;
    try {
      await navigator.clipboard.writeText(text ?? element?.textContent ?? "");
      setWords("Copied");
    } catch {
      const seen = element && !element.hidden;
      if (seen) getSelection()?.selectAllChildren(element);
      setWords(seen ? "Selected" : "Not allowed here");
    }
  };
  return (
    <button type="button" className="text-button" aria-live="polite" onClick={() => void copy()}>
      <Icon name="copy" size={13} /> {words}
    </button>
  );
}
