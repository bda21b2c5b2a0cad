import "../styles/conversation.css";

import { type ReactNode, useState } from "react";

import { Icon } from "../icons";

interface Props {
  className: string;
  summary: ReactNode;
  /** A function, because folded content is rarely opened, and may be long. */
  children: () => ReactNode;
}

export function Fold({ className, summary, children }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details
      className={`fold ${className}`}
      open={open}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary className="fold-summary">
        <Icon name="chevronRight" size={12} />
        {summary}
      </summary>
      {open && <div className="fold-content">{children()}</div>}
    </details>
  );
}
