import { useState } from "react";

import type { ContextView } from "../api/types";
import { contextParts, contextUse } from "../context";
import { IconButton } from "./Button";

export function ContextMeter({ context }: { context: ContextView }) {
  return (
    <span className="context">
      <Meter context={context} />
      {context.parts && <Parts context={context} />}
    </span>
  );
}

/** What fills it, on request. */
function Parts({ context }: { context: ContextView }) {
  const [open, setOpen] = useState(false);
  return (
    <span
      className="context-parts"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !open) return;
        event.preventDefault();
        setOpen(false);
      }}
    >
      <IconButton
        icon="info"
        label="What fills the context"
        aria-expanded={open}
        onClick={() => {
          setOpen(!open);
        }}
      />
      {open && (
        <dl className="context-list" aria-label="What fills the context">
          {contextParts(context).map(({ name, tokens, share }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                {tokens.toLocaleString("en")}
                <span className="context-share">{share}</span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </span>
  );
}

function Meter({ context }: { context: ContextView }) {
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
