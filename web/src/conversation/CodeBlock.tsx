import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

import { CopyButton } from "./CopyButton";
import { plural } from "./amounts";

/** Lines of code that are shown before somebody asks for the rest. */
const SHOWN = 30;

interface Props {
  /** As it was named in the fence; empty if it was not. */
  language: string;
  /** What its head says; the language, if nothing else. */
  words?: string;
  /** A button beside Copy. */
  action?: ReactNode;
  /** What stands between the head and the code. */
  before?: ReactNode;
  /** Something else is shown in its place; Copy still copies it. */
  hidden?: boolean;
  children: ReactNode;
}

/** Code as high as it is, or its beginning with a button for the rest: nothing in it catches the wheel. */
export function CodeBlock({ language, words = language, action, before, hidden = false, children }: Props) {
  const code = useRef<HTMLPreElement>(null);
  const [lines, setLines] = useState(0);
  const [all, setAll] = useState(false);
  useLayoutEffect(() => {
    setLines(code.current?.textContent.trimEnd().split("\n").length ?? 0);
  }, [children]);
  const long = lines > SHOWN * 1.25 && !hidden;
  return (
    <figure className="code-block">
      <Head words={words} of={code} action={action} />
      {before}
      <pre
        ref={code}
        hidden={hidden}
        className={long && !all ? "code-cut" : undefined}
        tabIndex={0}
        aria-label={language ? `Code, ${language}` : "Code"}
      >
        {children}
      </pre>
      {long && (
        <button
          type="button"
          className="text-button code-more"
          aria-expanded={all}
          onClick={() => {
            setAll(!all);
          }}
        >
          {all ? "Show less" : `Show all ${plural(lines, "line")}`}
        </button>
      )}
    </figure>
  );
}

interface HeadProps {
  /** "text" if empty. */
  words: string;
  of: React.RefObject<HTMLPreElement | null>;
  action?: ReactNode;
}

function Head({ words, of, action }: HeadProps) {
  return (
    <figcaption className="code-block-head">
      <span>{words || "text"}</span>
      <span className="code-block-actions">
        {action}
        <CopyButton of={of} />
      </span>
    </figcaption>
  );
}

/** What the head of code says that may still grow. */
export function growingWords(language: string): string {
  return language === "mermaid" ? "mermaid diagram, drawn when complete" : language;
}

/** Code that is still being written: plain, so that a token costs no more than its own letters. */
export function GrowingCode({ language, code }: { language: string; code: string }) {
  const end = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [code]);
  return (
    <figure className="code-block">
      <Head words={growingWords(language)} of={end} />
      <pre ref={end} className="code-growing" tabIndex={0} aria-label={language ? `Code, ${language}` : "Code"}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
