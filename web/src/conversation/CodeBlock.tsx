import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

import { CopyButton } from "./CopyButton";
import { plural } from "./amounts";

/** Lines of code that are shown before somebody asks for the rest. */
const SHOWN = 30;

interface Props {
  /** As it was named in the fence; empty if it was not. */
  language: string;
  children: ReactNode;
}

/** Code as high as it is, or its beginning with a button for the rest: nothing in it catches the wheel. */
export function CodeBlock({ language, children }: Props) {
  const code = useRef<HTMLPreElement>(null);
  const [lines, setLines] = useState(0);
  const [all, setAll] = useState(false);
  useLayoutEffect(() => {
    setLines(code.current?.textContent.trimEnd().split("\n").length ?? 0);
  }, [children]);
  const long = lines > SHOWN * 1.25;
  return (
    <figure className="code-block">
      <Head language={language} of={code} />
      <pre
        ref={code}
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

function Head({ language, of }: { language: string; of: React.RefObject<HTMLPreElement | null> }) {
  return (
    <figcaption className="code-block-head">
      <span>{language === "mermaid" ? "mermaid diagram, as text" : language || "text"}</span>
      <CopyButton of={of} />
    </figcaption>
  );
}

/** Code that is still being written: plain, so that a token costs no more than its own letters. */
export function GrowingCode({ language, code }: { language: string; code: string }) {
  const end = useRef<HTMLPreElement>(null);
  useLayoutEffect(() => {
    if (end.current) end.current.scrollTop = end.current.scrollHeight;
  }, [code]);
  return (
    <figure className="code-block">
      <Head language={language} of={end} />
      <pre ref={end} className="code-growing" tabIndex={0} aria-label={language ? `Code, ${language}` : "Code"}>
        <code>{code}</code>
      </pre>
    </figure>
  );
}
