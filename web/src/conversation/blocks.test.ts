import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import { describe, expect, it } from "vitest";

import { openFence, splitBlocks } from "./blocks";

const PIECES: Record<string, string> = {
  paragraphs: "One\nand a half.\n\nTwo.",
  heading: "# Title\n\nText under it.\n\n## Next",
  "fence with blank lines": "Before\n\n```ts\nconst a = 1;\n\n\nconst b = 2;\n```\n\nAfter",
  "fence in tildes that holds backticks": "~~~md\n```\n\nx\n```\n~~~\n\nAfter",
  "longer fence": "````\n```\n\nx\n```\n\n````\n\nAfter",
  "fence that is open": "Text\n\n```py\nx = 1\n\ny = 2\n",
  "loose list": "- a\n\n- b\n\n  more of b\n\nAfter",
  "numbered list with code": "1. First\n\n   ```sh\n   make\n\n   make test\n   ```\n\n2. Second\n\nAfter",
  "fence right after a bullet": "- ```js\n  a\n\n  b\n  ```\n- c\n\nAfter",
  "fence that its list item ends": "- ```js\n  a\nplain\n\nmore",
  "list under a paragraph": "Steps:\n1. a\n\n2. b\n\nAfter",
  "nested list": "- a\n  - b\n\n    deep\n\n  - c\n\nAfter",
  quote: "> a\n>\n> b\n\nAfter\n\n> c",
  "fence in a quote": "> ```\n> a\n>\n> b\n> ```\n\nAfter",
  "fence that its quote ends": "> ```\n> a\n\nAfter",
  "indented code": "Text\n\n    a\n\n    b\n\nAfter",
  "backticks in indented code": "Text\n\n    ```\n\nAfter",
  table: "| a | b |\n|---|---|\n| 1 | 2 |\n\nAfter",
  "raw html": "<div>\n\n**bold**\n\n</div>\n\nAfter",
  "definition at the end": "See [this][1].\n\nAnd more.\n\n[1]: https://example.org",
  footnote: "Said[^1].\n\nMore.\n\n[^1]: Why.",
  "inline code that looks like a fence": "``` not a fence ```\n\nAfter",
  "thematic break": "a\n\n---\n\nb",
  "only blank lines": "\n\n\n",
};

describe("splitBlocks", () => {
  it.each(Object.entries(PIECES))("means the same in blocks as whole: %s", (_, markdown) => {
    expect(splitBlocks(markdown).map(html).join("\n")).toBe(html(markdown));
  });

  it.each(Object.entries(PIECES))("means the same at every moment of its stream: %s", (_, markdown) => {
    for (let end = 1; end < markdown.length; end += 2) {
      const sofar = markdown.slice(0, end);
      expect(splitBlocks(sofar).map(html).join("\n").trim()).toBe(html(sofar));
    }
  });

  it("leaves finished blocks as they are while the last one grows", () => {
    const before = splitBlocks("One.\n\nTwo.\n\nThr");
    expect(splitBlocks("One.\n\nTwo.\n\nThree and more").slice(0, 2)).toEqual(before.slice(0, 2));
  });

  it("keeps a fence that is open in one block", () => {
    expect(splitBlocks("Text\n\n```py\na\n\nb\n\n# c")).toEqual(["Text", "```py\na\n\nb\n\n# c"]);
  });
});

describe("openFence", () => {
  it("reads the code that is being written", () => {
    expect(openFence("```py\na = 1\n\nb")).toEqual({ language: "py", code: "a = 1\n\nb" });
  });

  it.each(["```py\na\n```", "text", "> ```\n> a", "``` a ```", "  ```py\n  a"])("leaves to Markdown: %j", (block) => {
    expect(openFence(block)).toBeNull();
  });
});

function html(markdown: string): string {
  return renderToStaticMarkup(createElement(ReactMarkdown, { remarkPlugins: [remarkGfm] }, markdown)).trim();
}
