import { type ReactNode, useState } from "react";

import { useAttempt } from "../conversation/useAttempt";

interface Props {
  summary: string;
  /** Returns the result, for the user; empty if the page shows it. */
  act: () => Promise<string>;
  children: (underWay: boolean) => ReactNode;
}

/** A form for a rare action, folded. */
export function MoreForm({ summary, act, children }: Props) {
  const [open, setOpen] = useState(false);
  const [done, setDone] = useState("");
  const { problem, underWay, attempt } = useAttempt();
  return (
    <details
      className="new-run-more"
      open={open}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>{summary}</summary>
      {open && (
        <form
          className="new-run"
          onSubmit={(event) => {
            event.preventDefault();
            setDone("");
            attempt(async () => {
              setDone(await act());
            });
          }}
        >
          {children(underWay)}
          <p role="status" className="view-quiet">
            {done}
          </p>
          {problem && (
            <p className="view-problem" role="alert">
              {problem}
            </p>
          )}
        </form>
      )}
    </details>
  );
}
