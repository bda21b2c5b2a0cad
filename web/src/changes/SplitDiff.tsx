import type { SchemaDiffLine as DiffLine } from "../api/schema";
import { DiffText, MARKS, lineClass } from "./DiffText";
import { GapRow } from "./GapRow";
import type { DiffProps } from "./InlineDiff";
import type { SplitRow } from "./rows";
import type { Segment } from "./words";

/** Old lines to the left, new ones to the right. */
export function SplitDiff({ caption, rows, words, onOpen }: DiffProps<SplitRow>) {
  return (
    <table className="diff diff-split">
      <caption className="visually-hidden">{caption}</caption>
      <colgroup>
        <col className="diff-column-number" />
        <col className="diff-column-mark" />
        <col />
        <col className="diff-column-number" />
        <col className="diff-column-mark" />
        <col />
      </colgroup>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">Line before</th>
          <th scope="col">Mark before</th>
          <th scope="col">Text before</th>
          <th scope="col">Line after</th>
          <th scope="col">Mark after</th>
          <th scope="col">Text after</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) =>
          row.kind === "gap" ? (
            <GapRow key={place} gap={row} columns={6} onOpen={onOpen} />
          ) : (
            <tr key={place}>
              <Side line={row.left} number={row.left?.old} words={words} />
              <Side line={row.right} number={row.right?.new} words={words} />
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}

interface SideProps {
  /** Null where the other side has no counterpart. */
  line: DiffLine | null;
  number: number | null | undefined;
  words: ReadonlyMap<DiffLine, readonly Segment[]>;
}

function Side({ line, number, words }: SideProps) {
  if (!line) return <td className="diff-nothing" colSpan={3} />;
  const look = lineClass(line);
  return (
    <>
      <td className={`diff-number ${look}`}>{number}</td>
      <td className={`diff-mark ${look}`}>{MARKS[line.mark]}</td>
      <td className={`diff-text ${look}`}>
        <DiffText line={line} words={words.get(line)} />
      </td>
    </>
  );
}
