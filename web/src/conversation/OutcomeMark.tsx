import { Icon, type IconName } from "../icons";
import type { Outcome } from "./words";

const ICONS: Readonly<Record<Outcome["mark"], IconName>> = {
  running: "clock",
  done: "check",
  failed: "close",
  denied: "ban",
  lost: "question",
};

/** An icon next to words that say the same. */
export function OutcomeMark({ mark }: { mark: Outcome["mark"] }) {
  return (
    <span className={`outcome-mark outcome-mark-${mark}`}>
      <Icon name={ICONS[mark]} size={14} />
    </span>
  );
}
