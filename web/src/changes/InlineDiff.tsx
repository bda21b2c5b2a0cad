import type { SchemaDiffLine as DiffLine } from "../api/schema";
import { DiffText, MARKS, lineClass } from "./DiffText";
import { GapRow } from "./GapRow";
import type { Row } from "./rows";
import type { Segment } from "./words";

export interface DiffProps<Shown> {
  caption: string;
  rows: readonly Shown[];
  words: ReadonlyMap<DiffLine, readonly Segment[]>;
  onOpen: (gap: number) => void;
}

/** Old and new lines below each other. */
export function InlineDiff({ caption, rows, words, onOpen }: DiffProps<Row>) {
  return (
    <table className="diff diff-inline">
      <caption className="visually-hidden">{caption}</caption>
      <thead className="visually-hidden">
        <tr>
          <th scope="col">Line before</th>
          <th scope="col">Line after</th>
          <th scope="col">Mark</th>
          <th scope="col">Text</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) =>
          row.kind === "gap" ? (
            <GapRow key={place} gap={row} columns={4} onOpen={onOpen} />
          ) : (
            <tr key={place} className={lineClass(row.line)}>
              <td className="diff-number">{row.line.old}</td>
              <td className="diff-number">{row.line.new}</td>
              <td className="diff-mark">{MARKS[row.line.mark]}</td>
              <td className="diff-text">
                <DiffText line={row.line} words={words.get(row.line)} />
              </td>
            </tr>
          ),
        )}
      </tbody>
    </table>
  );
}
