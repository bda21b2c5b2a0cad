import { Button } from "../components/Button";
import { LineCounts } from "./LineCounts";
import type { HunkBar } from "./rows";

export interface HunkActs {
  /** How many hunks the change has. */
  of: number;
  path: string;
  underWay: boolean;
  onSettle: (act: "apply" | "reject", hunk: number) => void;
}

interface Props {
  index: number;
  bar: HunkBar;
  columns: number;
  acts: HunkActs;
}

/** The header of a hunk of a pending change, which can be applied or rejected alone. */
export function HunkRow({ index, bar, columns, acts }: Props) {
  const name = `hunk ${String(bar.hunk + 1)} of ${String(acts.of)}`;
  return (
    <tr className="diff-hunk" aria-rowindex={index} data-hunk={bar.hunk} tabIndex={-1}>
      <td colSpan={columns}>
        <div className="diff-hunk-bar">
          <span>
            H{name.slice(1)}, line {bar.line}
          </span>
          <LineCounts added={bar.added} removed={bar.removed} />
          <span className="diff-hunk-acts">
            {(["apply", "reject"] as const).map((act) => (
              <Button
                key={act}
                look="quiet"
                disabled={acts.underWay}
                aria-label={`${act === "apply" ? "Apply" : "Reject"} ${name} in ${acts.path}`}
                onClick={(event) => {
                  // The button disappears with its action, and the focus would be lost.
                  event.currentTarget.closest<HTMLElement>("[data-file]")?.focus({ preventScroll: true });
                  acts.onSettle(act, bar.hunk);
                }}
              >
                {act === "apply" ? "Apply" : "Reject"}
              </Button>
            ))}
          </span>
        </div>
      </td>
    </tr>
  );
}
