/** An open fence. Its closing line has the same character, at least as often, in the same container. */
interface Fence {
  mark: string;
  quoted: boolean;
  /** The indentation that a line needs to belong to the fence's list item. */
  indent: number;
}

const LIST_MARKER = /^( *)([-*+]|\d{1,9}[.)])( +|$)/;
const FENCE = /^(`{3,}(?=[^`]*$)|~{3,})/;
const DEFINITION = /^ {0,3}\[[^\]]+\]:/m;

/**
 * Splits Markdown into blocks that mean the same alone as together, so that a finished one is rendered once, however
 * long the answer grows. An open fence contains everything after it.
 *
 * Text with definitions (`[name]: address`, footnotes) is one block: a definition affects all others.
 */
export function splitBlocks(markdown: string): string[] {
  if (DEFINITION.test(markdown)) return [markdown];
  const blocks: string[] = [];
  let block: string[] = [];
  let fence: Fence | null = null;
  let afterBlank = false;
  let inList = false;
  for (const line of markdown.split("\n")) {
    if (fence) {
      fence = leaves(line, fence) ? null : fence;
      if (fence) {
        block.push(line);
        if (closes(line, fence)) fence = null;
        afterBlank = false;
        continue;
      }
    }
    if (line.trim() === "") {
      afterBlank = block.length > 0;
      if (afterBlank) block.push(line);
      continue;
    }
    if (afterBlank && !active(line, block[0] ?? "", inList)) {
      blocks.push(block.join("\n").trimEnd());
      block = [];
      inList = false;
    }
    afterBlank = false;
    block.push(line);
    inList ||= LIST_MARKER.test(line);
    fence = opened(line, inList);
  }
  if (block.length > 0) blocks.push(block.join("\n"));
  return blocks;
}

/** The code of a block that is only an open fence: it grows with every token, and needs no parsing. */
export function openFence(block: string): { language: string; code: string } | null {
  const [first = "", ...lines] = block.split("\n");
  const fence = opened(first, false);
  if (!fence || fence.quoted || fence.indent > 0 || !first.startsWith(fence.mark)) return null;
  if (lines.some((line) => closes(line, fence))) return null;
  const language = first.slice(fence.mark.length).trim().split(/\s/)[0] ?? "";
  return { language, code: lines.join("\n") };
}

/** Whether a line after a blank one still belongs to the block that started with `first`. */
function active(line: string, first: string, inList: boolean): boolean {
  const indent = indentOf(line);
  if (inList) return indent >= 2 || LIST_MARKER.test(line);
  return indent >= 4 && indentOf(first) >= 4;
}

function opened(line: string, inList: boolean): Fence | null {
  const quoted = /^ {0,3}>/.test(line);
  let rest = quoted ? line.replace(/^( {0,3}> ?)+/, "") : line;
  let indent = 0;
  for (let item = LIST_MARKER.exec(rest); item; item = LIST_MARKER.exec(rest)) {
    indent += item[0].length;
    rest = rest.slice(item[0].length);
  }
  const column = indentOf(rest);
  // Four columns make indented code, in which a fence is only text; in a list they may be the item's own.
  if (column >= 4 && !inList) return null;
  const mark = FENCE.exec(rest.trimStart())?.[1];
  if (mark === undefined) return null;
  return { mark, quoted, indent: indent > 0 ? indent : inList ? Math.min(column, 2) : 0 };
}

function closes(line: string, fence: Fence): boolean {
  const bare = (fence.quoted ? line.replace(/^( {0,3}> ?)+/, "") : line).trim();
  return bare.startsWith(fence.mark) && /^(`+|~+)$/.test(bare);
}

/** A fence ends with its quote or list item. */
function leaves(line: string, fence: Fence): boolean {
  if (fence.quoted) return !/^ {0,3}>/.test(line);
  return line.trim() !== "" && indentOf(line) < fence.indent;
}

function indentOf(line: string): number {
  const leading = /^[ \t]*/.exec(line)?.[0] ?? "";
  return leading.replaceAll("\t", "    ").length;
}
