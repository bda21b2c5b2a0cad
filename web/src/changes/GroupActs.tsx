import type { MouseEvent } from "react";

import { Button } from "../components/Button";
import { type Act, settleChanges } from "../state/changes";

interface Props {
  projectId: string;
  /** Ids of pending changes. */
  ids: readonly string[];
  /** "of this chat", if there are others. */
  whose: string;
  /** The primary action of its view. */
  main?: boolean;
}

/** Apply or reject all of them. Both can be undone. */
export function GroupActs({ projectId, ids, whose, main = false }: Props) {
  const settle = (act: Act) => (event: MouseEvent<HTMLElement>) => {
    // The button disappears with its action, and the focus would be lost.
    event.currentTarget.closest<HTMLElement>("[tabindex]")?.focus({ preventScroll: true });
    void settleChanges(projectId, act, ids);
  };
  if (ids.length < 2) return null;
  return (
    <span className="change-acts">
      <Button look={main ? "primary" : "plain"} onClick={settle("apply")}>
        Apply all {ids.length}
        <span className="visually-hidden"> changes {whose}</span>
      </Button>
      <Button look="quiet" onClick={settle("reject")}>
        Reject all
        <span className="visually-hidden"> changes {whose}</span>
      </Button>
    </span>
  );
}
