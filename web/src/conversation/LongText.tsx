import { type ReactNode, useMemo, useState } from "react";

import { cutText, type Limits } from "./cutting";

interface Props {
  text: string;
  limits: Limits;
  /** How the text is shown, whole or cut. */
  children: (shown: string) => ReactNode;
}

/** A text whose end, if it is long, is a click away. */
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
