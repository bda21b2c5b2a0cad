import rehypeHighlight from "rehype-highlight";

type Highlight = ReturnType<typeof rehypeHighlight>;

let shared: Highlight | null = null;

/** A rehype plugin. Its grammars are loaded once, with the first code block, not for each block of text. */
export function highlightCode(): Highlight {
  shared ??= rehypeHighlight();
  return shared;
}
