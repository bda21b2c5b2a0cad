/** Inline code, which stays as it is. */
const CODE_SPAN = /(`+)(?:(?!\1)[\s\S])*?\1/g;

/**
 * Marks formulas as code, so that Markdown keeps their characters: `\(x_1\)` would lose backslashes, and `$a_1 b_1$`
 * two underscores. Nothing is typeset. A single dollar, as in prices, is not a formula.
 */
export function keepMaths(markdown: string): string {
  if (/^\s*(```|~~~)/.test(markdown) || !/\\[([]|\$/.test(markdown)) return markdown;
  let kept = "";
  let last = 0;
  for (const span of markdown.matchAll(CODE_SPAN)) {
    kept += asCode(markdown.slice(last, span.index)) + span[0];
    last = span.index + span[0].length;
  }
  return kept + asCode(markdown.slice(last));
}

function asCode(text: string): string {
  return text
    .replace(/\$\$([^$]+)\$\$|\\\[([\s\S]+?)\\\]/g, (_whole, one?: string, other?: string) => fenced(one ?? other ?? ""))
    .replace(/\\\(([^\n]+?)\\\)/g, (_whole, inner: string) => `\`${inner.trim()}\``)
    .replace(/(?<![\w$])\$(?=\S)([^$\n`]*[\\^_{][^$\n`]*?)(?<=\S)\$(?![\w$])/g, (_whole, inner: string) => `\`${inner}\``);
}

function fenced(formula: string): string {
  const inner = formula.trim();
  return inner.includes("\n") ? `\n\n\`\`\`math\n${inner}\n\`\`\`\n\n` : `\`${inner}\``;
}
