import { createContext, useContext } from "react";

import type { Waiting } from "../state/chat";
import { useNow } from "../useNow";
import { waitingWords } from "./words";

/** What the chat's turn waits for. A context, so that a tick renders only this line and no message. */
export const WaitingContext = createContext<Waiting | null>(null);

interface Props {
  messageId: string;
  /** The text if no more is known; empty while words come. */
  doing: string;
}

/** How far the server has read, and for how long nothing came. */
export function WaitingLine({ messageId, doing }: Props) {
  const waiting = useContext(WaitingContext);
  const now = useNow(1000);
  const mine = waiting?.messageId === messageId ? waiting : null;
  const words = waitingWords(doing, mine, now);
  return words && <p className="turn-waiting">{words}</p>;
}
