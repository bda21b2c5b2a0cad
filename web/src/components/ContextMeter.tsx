import type { ContextView } from "../api/types";
import { contextUse } from "../context";

export function ContextMeter({ context }: { context: ContextView }) {
  const { percent, fullness, short, words } = contextUse(context);
  if (percent === null) {
    return (
      <p className="context-meter" title={words}>
        {short}
      </p>
    );
  }
  return (
    <div
      className={`context-meter context-meter-${fullness}`}
      role="meter"
      aria-label="Context used"
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={words}
      title={words}
    >
      <span className="context-meter-track" aria-hidden="true">
        <span className="context-meter-bar" style={{ width: `${String(percent)}%` }} />
      </span>
      <span className="context-meter-words" aria-hidden="true">
        {short} · {percent} %
      </span>
    </div>
  );
}
