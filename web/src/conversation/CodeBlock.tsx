import { type ReactNode, useLayoutEffect, useRef } from "react";

import { CopyButton } from "./CopyButton";

interface Props {
  /** As it was named in the fence; empty if it was not. */
  language: string;
  children: ReactNode;
}

export function CodeBlock({ language, children }: Props) {
  const code = useRef<HTMLPreElement>(null);
  return (
    <figure className="code-block">
      <figcaption className="code-block-head">
        <span>{language || "text"}</span>
        <CopyButton of={code} />
      </figcaption>
      <pre ref={code} tabIndex={0} aria-label={language ? `Code, ${language}` : "Code"}>
        {children}
      </pre>
    </figure>
  );
}

/** Code that is still being written: plain, so that a token costs no more than its own letters. */
export function GrowingCode({ language, code }: { language: string; code: string }) {
  const end = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const scroller = end.current?.parentElement;
    if (scroller) scroller.scrollTop = scroller.scrollHeight;
  }, [code]);
  return (
    <CodeBlock language={language}>
      <code ref={end}>{code}</code>
    </CodeBlock>
  );
}
