import { type RefObject, useEffect, useState } from "react";

import { Icon } from "../icons";

const SHOWN_MS = 2000;

/** Copies the text of an element. Where a page may not (no secure context), it selects the text instead. */
export function CopyButton({ of }: { of: RefObject<HTMLElement | null> }) {
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
    const element = of.current;
    if (!element) return;
    try {
      await navigator.clipboard.writeText(element.textContent);
      setWords("Copied");
    } catch {
      getSelection()?.selectAllChildren(element);
      setWords("Selected");
    }
  };
  return (
    <button type="button" className="text-button" aria-live="polite" onClick={() => void copy()}>
      <Icon name="copy" size={13} /> {words}
    </button>
  );
}
