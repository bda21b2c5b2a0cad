import { plural } from "../conversation/amounts";
import { type Gap, MORE } from "./rows";

interface Props {
  index: number;
  gap: Gap;
  columns: number;
  onOpen: (gap: number) => void;
}

/** A placeholder for unchanged lines that are not shown. */
export function GapRow({ index, gap: { gap, hidden }, columns, onOpen }: Props) {
  const few = hidden !== null && hidden <= MORE;
  return (
    <tr className="diff-gap" aria-rowindex={index}>
      <td colSpan={columns}>
        <button
          type="button"
          onClick={() => {
            onOpen(gap);
          }}
        >
          {few ? `Show ${plural(hidden, "unchanged line")}` : `Show ${String(MORE)} more`}
          {hidden !== null && !few && <span className="diff-hidden"> of {plural(hidden, "unchanged line")}</span>}
        </button>
      </td>
    </tr>
  );
}
