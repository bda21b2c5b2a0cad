import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

import { CopyButton } from "./CopyButton";
import { plural } from "./amounts";

/** Lines of code that are shown before the user asks for the rest. */
const SHOWN = 30;

interface Props {
  /** The language as named in the fence; may be empty. */
  language: string;
  /** The title; by default the language. */
  words?: string;
  /** A button next to Copy. */
  action?: ReactNode;
  /** Content between the title and the code. */
  before?: ReactNode;
  /** Shown instead of the code; Copy still copies the code. */
  hidden?: boolean;
  children: ReactNode;
}

/** Code at its full height, or its beginning with a button for the rest: it never captures the scroll wheel. */
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

/** The title of code that may still grow. */
export function growingWords(language: string): string {
  return language === "mermaid" ? "mermaid diagram, drawn when complete" : language;
}

/** Code that is still streaming: not highlighted, so that a token costs no more than its own characters. */
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
