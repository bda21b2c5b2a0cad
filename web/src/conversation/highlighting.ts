import rehypeHighlight from "rehype-highlight";

type Highlight = ReturnType<typeof rehypeHighlight>;

let shared: Highlight | null = null;

/** A rehype plugin. Its grammars are set up once, at the first code block, not once for each block of text. */
export function highlightCode(): Highlight {
  shared ??= rehypeHighlight();
  return shared;
}
