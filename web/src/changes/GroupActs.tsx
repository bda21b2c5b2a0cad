import { type MouseEvent, useState } from "react";

import { Button } from "../components/Button";
import { plural } from "../conversation/amounts";
import { type Act, settleChanges } from "../state/changes";

interface Props {
  projectId: string;
  /** Of pending changes. */
  ids: readonly string[];
  /** "of this chat", where there are others. */
  whose: string;
}

/** Apply or reject all of them. What is rejected can't be brought back, so that is asked twice. */
export function GroupActs({ projectId, ids, whose }: Props) {
  const [asking, setAsking] = useState(false);
  const settle = (act: Act) => (event: MouseEvent<HTMLElement>) => {
    // The button goes with what it did, and would take the focus with it.
    event.currentTarget.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
    setAsking(false);
    void settleChanges(projectId, act, ids);
  };
  if (ids.length < 2) return null;
  if (asking) {
    return (
      <span className="change-acts" role="group" aria-label="Reject all">
        <span>Reject {plural(ids.length, "change")}? They can’t be brought back.</span>
        <Button look="danger" autoFocus onClick={settle("reject")}>
          Reject
        </Button>
        <Button
          onClick={() => {
            setAsking(false);
          }}
        >
          Keep
        </Button>
      </span>
    );
  }
  return (
    <span className="change-acts">
      <Button onClick={settle("apply")}>
        Apply all {ids.length}
        <span className="visually-hidden"> changes {whose}</span>
      </Button>
      <Button
        look="quiet"
        onClick={() => {
          setAsking(true);
        }}
      >
        Reject all
        <span className="visually-hidden"> changes {whose}</span>
      </Button>
    </span>
  );
}
