import "../styles/markdown.css";

import { createContext, memo, type ReactNode, useContext, useId, useMemo } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

import { Diagram } from "../diagrams/Diagram";
import { openFence, splitBlocks } from "./blocks";
import { CodeBlock, GrowingCode, growingWords } from "./CodeBlock";
import { highlightCode } from "./highlighting";
import { keepMaths } from "./maths";
import { linkKind } from "./links";
import { MarkdownTable } from "./MarkdownTable";

interface Props {
  text: string;
  /** More of it is still coming. */
  growing?: boolean;
}

/** An answer's text. Raw HTML is shown as text, and nothing is loaded from other sites. */
export const Markdown = memo(function Markdown({ text, growing = false }: Props) {
  const blocks = useMemo(() => splitBlocks(text), [text]);
  return (
    <div className="markdown">
      {blocks.map((block, index) => {
        const grows = growing && index === blocks.length - 1;
        const code = grows ? openFence(block) : null;
        if (code) return <GrowingCode key={index} {...code} />;
        return (
          <Growing key={index} value={grows}>
            <Block markdown={block} />
          </Growing>
        );
      })}
    </div>
  );
});

/** Whether more may come for this text. */
const Growing = createContext(false);

const Block = memo(function Block({ markdown }: { markdown: string }) {
  // Footnotes get ids, which must differ from those of every other answer on the page.
  const clobberPrefix = `${useId()}-`;
  return (
    <ReactMarkdown
      remarkPlugins={REMARK}
      rehypePlugins={REHYPE}
      remarkRehypeOptions={{ clobberPrefix }}
      components={COMPONENTS}
    >
      {keepMaths(markdown)}
    </ReactMarkdown>
  );
});

function Code({ language, source, children }: { language: string; source: string; children: ReactNode }) {
  const growing = useContext(Growing);
  if (language === "mermaid" && !growing) return <Diagram source={source}>{children}</Diagram>;
  return (
    <CodeBlock language={language} words={growing ? growingWords(language) : language}>
      {children}
    </CodeBlock>
  );
}

const REMARK = [remarkGfm];
const REHYPE = [highlightCode];

const COMPONENTS: Components = {
  // The page itself has the first two levels of headings.
  h1: "h3",
  h2: "h4",
  h3: "h5",
  h4: "h6",
  h5: "h6",
  a({ href, children, id, "aria-label": label, className }) {
    switch (linkKind(href)) {
      case "elsewhere":
        return (
          <a href={href} target="_blank" rel="noopener noreferrer nofollow">
            {children}
          </a>
        );
      case "within":
        return (
          <a href={href} id={id} className={className} aria-label={label}>
            {children}
          </a>
        );
      case "nowhere":
        return <span title={href}>{children}</span>;
    }
  },
  img({ src, alt }) {
    const address = typeof src === "string" ? src : "";
    return (
      <span className="markdown-image">
        Image{alt ? ` “${alt}”` : ""}, not loaded
        {address && (
          <>
            : <code>{address}</code>
          </>
        )}
      </span>
    );
  },
  pre({ node, children }) {
    const code = node?.children[0];
    const classes = code?.type === "element" ? code.properties["className"] : undefined;
    const named = Array.isArray(classes) ? classes.map(String).find((name) => name.startsWith("language-")) : undefined;
    const source = code?.type === "element" ? code.children.map((each) => ("value" in each ? each.value : "")).join("") : "";
    return (
      <Code language={named?.slice("language-".length) ?? ""} source={source}>
        {children}
      </Code>
    );
  },
  input({ checked }) {
    return <input type="checkbox" checked={checked === true} disabled aria-label={checked ? "done" : "to do"} />;
  },
  table({ children }) {
    return <MarkdownTable>{children}</MarkdownTable>;
  },
};
