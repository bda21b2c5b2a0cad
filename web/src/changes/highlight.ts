/** Syntax highlighting, line by line. The grammars are loaded with the first diff in a known language. */
import type { Segment } from "./words";

/** A segment of a line, with the CSS class of its colour. */
export interface Token {
  text: string;
  look: string;
}

interface HastNode {
  type: string;
  value?: string;
  properties?: { className?: unknown };
  children?: HastNode[];
}

export type Highlighter = (code: string, language: string) => Token[][];

const LANGUAGES: Readonly<Record<string, string>> = {
  py: "python", pyi: "python", js: "javascript", mjs: "javascript", cjs: "javascript", jsx: "javascript",
  ts: "typescript", tsx: "typescript", mts: "typescript", go: "go", rs: "rust", java: "java", c: "c", h: "c",
  cc: "cpp", cpp: "cpp", hpp: "cpp", cs: "csharp", rb: "ruby", php: "php", sh: "bash", bash: "bash", json: "json",
  yml: "yaml", yaml: "yaml", toml: "ini", ini: "ini", cfg: "ini", md: "markdown", css: "css", scss: "scss",
  less: "less", html: "xml", xml: "xml", svg: "xml", vue: "xml", sql: "sql", kt: "kotlin", swift: "swift", lua: "lua",
  pl: "perl", r: "r", graphql: "graphql", mk: "makefile", diff: "diff", patch: "diff",
};

/** The language by file name; null if there is no highlighting for it. */
export function languageOf(path: string): string | null {
  const name = path.split("/").at(-1) ?? path;
  if (name === "Makefile") return "makefile";
  return LANGUAGES[name.split(".").at(-1)?.toLowerCase() ?? ""] ?? null;
}

let loading: Promise<Highlighter> | null = null;

export function loadHighlighter(): Promise<Highlighter> {
  loading ??= import("../conversation/highlighting").then(({ highlightCode }) => {
    const transform = highlightCode() as unknown as (tree: HastNode, file: unknown) => void;
    return (code: string, language: string) => {
      const text: HastNode = { type: "text", value: code };
      const element = (tagName: string, classes: string[], child: HastNode) =>
        ({ type: "element", tagName, properties: { className: classes }, children: [child] }) as HastNode;
      const tree = { type: "root", children: [element("pre", [], element("code", [`language-${language}`], text))] };
      transform(tree, { message: () => undefined });
      return linesOf(tree);
    };
  });
  return loading;
}

/** The text of a tree, split at line ends. */
export function linesOf(tree: HastNode): Token[][] {
  const lines: Token[][] = [[]];
  const walk = (node: HastNode, look: string) => {
    if (node.type === "text") {
      (node.value ?? "").split("\n").forEach((text, index) => {
        if (index > 0) lines.push([]);
        if (text) lines.at(-1)?.push({ text, look });
      });
      return;
    }
    const own = node.properties?.className;
    const named = Array.isArray(own) ? own.filter((name) => String(name).startsWith("hljs-")).join(" ") : "";
    for (const child of node.children ?? []) walk(child, named || look);
  };
  walk(tree, "");
  return lines;
}

/** Combines tokens with marked words, both of the same text: each is split where the other one is. */
export function overlay(tokens: readonly Token[], words: readonly Segment[]): (Token & { changed: boolean })[] {
  const pieces: (Token & { changed: boolean })[] = [];
  let word = 0;
  let used = 0;
  for (const { text, look } of tokens) {
    let rest = text;
    while (rest) {
      const segment = words[word];
      const room = segment ? segment.text.length - used : rest.length;
      const taken = rest.slice(0, room);
      if (taken) pieces.push({ text: taken, look, changed: segment?.changed ?? false });
      rest = rest.slice(room);
      used += taken.length;
      if (segment && used >= segment.text.length) {
        word += 1;
        used = 0;
      }
    }
  }
  return pieces;
}
