import { type ReactNode, useMemo, useState } from "react";

import { cutText, type Limits } from "./cutting";

interface Props {
  text: string;
  limits: Limits;
  /** Renders the text, whole or cut. */
  children: (shown: string) => ReactNode;
}

/** A text that is cut if it is long; a click shows the rest. */
export function LongText({ text, limits, children }: Props) {
  const [all, setAll] = useState(false);
  const cut = useMemo(() => cutText(text, limits), [text, limits]);
  return (
    <div className="long-text">
      {children(all ? text : cut.shown)}
      {cut.rest && (
        <button
          type="button"
          className="text-button"
          aria-expanded={all}
          onClick={() => {
            setAll(!all);
          }}
        >
          {all ? "Show less" : `Show all (${cut.rest})`}
        </button>
      )}
    </div>
  );
}
