import "../styles/markdown.css";

import { memo, useEffect, useRef, useState } from "react";

import type { SchemaDiffLine as DiffLine } from "../api/schema";
import { DiffText, MARKS, lineClass } from "./DiffText";
import { GapRow } from "./GapRow";
import { HunkRow, type HunkActs } from "./HunkRow";
import { type Highlighter, type Token, languageOf, loadHighlighter } from "./highlight";
import { type Block, type ShownRow, blocksOf } from "./rows";
import { useNearBlocks } from "./useNearBlocks";

interface Props {
  path: string;
  caption?: string;
  rows: readonly ShownRow[];
  split: boolean;
  onOpen: (gap: number) => void;
  acts: HunkActs | null;
}

/** The rows of a diff. Only those near the screen are rendered; the others keep their height. */
export function DiffTable({ path, caption, rows, split, onOpen, acts }: Props) {
  const table = useRef<HTMLTableElement>(null);
  const blocks = blocksOf(rows);
  const near = useNearBlocks(table, blocks);
  const highlighter = useHighlighter(languageOf(path) !== null);
  const sides = split ? ["before", "after"] : [""];
  return (
    <table ref={table} className={`diff ${split ? "diff-split" : "diff-inline"}`} aria-rowcount={rows.length}>
      <caption className="visually-hidden">{caption ?? `What changes in ${path}`}</caption>
      <colgroup>
        {split ? (
          <>
            <col className="diff-column-number" />
            <col className="diff-column-mark" />
            <col />
            <col className="diff-column-number" />
            <col className="diff-column-mark" />
            <col />
          </>
        ) : (
          <>
            <col className="diff-column-number" />
            <col className="diff-column-number" />
            <col className="diff-column-mark" />
            <col />
          </>
        )}
      </colgroup>
      <thead className="visually-hidden">
        <tr>
          {!split && <th scope="col">Old line</th>}
          {sides.map((side) => (
            <Headings key={side} side={side} />
          ))}
        </tr>
      </thead>
      {blocks.map((block) => (
        <BlockRows
          key={block.first}
          path={path}
          block={block}
          drawn={block.always || near.has(block.first)}
          split={split}
          highlighter={highlighter}
          onOpen={onOpen}
          acts={acts}
        />
      ))}
    </table>
  );
}

function Headings({ side }: { side: string }) {
  return (
    <>
      <th scope="col">Line {side || "after"}</th>
      <th scope="col">Mark {side}</th>
      <th scope="col">Text {side}</th>
    </>
  );
}

function useHighlighter(wanted: boolean): Highlighter | null {
  const [loaded, setLoaded] = useState<{ highlight: Highlighter } | null>(null);
  useEffect(() => {
    if (!wanted) return;
    let here = true;
    // A diff is readable without colours.
    void loadHighlighter().then(
      (highlight) => {
        if (here) setLoaded({ highlight });
      },
      () => undefined,
    );
    return () => {
      here = false;
    };
  }, [wanted]);
  return loaded?.highlight ?? null;
}

interface BlockProps extends Omit<Props, "rows"> {
  block: Block;
  drawn: boolean;
  highlighter: Highlighter | null;
}

const BlockRows = memo(
  function BlockRows({ path, block, drawn, split, highlighter, onOpen, acts }: BlockProps) {
    const columns = split ? 6 : 4;
    if (!drawn) {
      return (
        <tbody data-block={block.first} aria-hidden="true">
          <tr>
            <td colSpan={columns} style={{ height: `calc(${String(block.rows.length)} * var(--diff-line))` }} />
          </tr>
        </tbody>
      );
    }
    const colours = highlighter ? coloursOf(block, path, highlighter) : NO_COLOURS;
    return (
      <tbody data-block={block.first}>
        {block.rows.map((row, offset) => {
          const index = block.first + offset + 1;
          switch (row.kind) {
            case "gap":
              return <GapRow key={offset} index={index} gap={row} columns={columns} onOpen={onOpen} />;
            case "bar":
              return acts && <HunkRow key={offset} index={index} bar={row} columns={columns} acts={acts} />;
            case "pair":
              return (
                <tr key={offset} aria-rowindex={index}>
                  <Side line={row.left} other={row.right} number={row.left?.old} colours={colours} />
                  <Side line={row.right} other={row.left} number={row.right?.new} colours={colours} />
                </tr>
              );
            case "line":
              return (
                <tr key={offset} aria-rowindex={index} className={lineClass(row.line)}>
                  <td className="diff-number">{row.line.old}</td>
                  <td className="diff-number">{row.line.new}</td>
                  <td className="diff-mark">{MARKS[row.line.mark]}</td>
                  <td className="diff-text">
                    <DiffText line={row.line} other={row.other} tokens={colours.get(row.line)} />
                  </td>
                </tr>
              );
          }
        })}
      </tbody>
    );
  },
  // Rows are rebuilt with every answer, and stay the same objects while the answer does.
  (before, now) =>
    before.drawn === now.drawn &&
    before.split === now.split &&
    before.highlighter === now.highlighter &&
    before.acts === now.acts &&
    before.block.first === now.block.first &&
    before.block.rows.length === now.block.rows.length &&
    before.block.rows.every((row, offset) => row === now.block.rows[offset]),
);

interface SideProps {
  /** Null if the other side has no counterpart. */
  line: DiffLine | null;
  other: DiffLine | null;
  number: number | null | undefined;
  colours: Colours;
}

function Side({ line, other, number, colours }: SideProps) {
  if (!line) return <td className="diff-nothing" colSpan={3} />;
  const look = lineClass(line);
  return (
    <>
      <td className={`diff-number ${look}`}>{number}</td>
      <td className={`diff-mark ${look}`}>{MARKS[line.mark]}</td>
      <td className={`diff-text ${look}`}>
        <DiffText line={line} other={line === other ? null : other} tokens={colours.get(line)} />
      </td>
    </>
  );
}

type Colours = ReadonlyMap<DiffLine, readonly Token[]>;
const NO_COLOURS: Colours = new Map();

/** A block's old lines and its new lines, each highlighted as one text, so that tokens can span lines. */
function coloursOf(block: Block, path: string, highlight: Highlighter): Colours {
  const language = languageOf(path);
  const found = new Map<DiffLine, readonly Token[]>();
  if (!language) return found;
  const lines = block.rows.flatMap((row) =>
    row.kind === "line" ? [row.line] : row.kind === "pair" ? [row.left, row.right] : [],
  );
  for (const gone of ["+", "-"] as const) {
    const side = [...new Set(lines)].filter((line): line is DiffLine => line !== null && line.mark !== gone);
    const tokens = highlight(side.map(({ text }) => text).join("\n"), language);
    side.forEach((line, offset) => found.set(line, tokens[offset] ?? []));
  }
  return found;
}
