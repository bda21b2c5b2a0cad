import { RestoreButton } from "../checkpoints/RestoreButton";
import { MessageActions } from "./MessageActions";
import type { Checkpoint, Message, TurnMeta } from "./messages";
import { turnEndWords } from "./words";

interface Props {
  message: Message;
  turn: TurnMeta;
  checkpoint: Checkpoint | undefined;
}

/** How a turn ended, and what it used. */
export function TurnEnd({ message, turn, checkpoint }: Props) {
  const words = turnEndWords(turn);
  const restorable = message.status === "complete" ? checkpoint : undefined;
  return (
    <footer className="turn-end">
      {turn.work && <p className={turn.work.missing ? "turn-work turn-work-missing" : "turn-work"}>{turn.work.text}</p>}
      <span title={[turn.agent, turn.model].filter(Boolean).join(", ")}>{words.join(" · ")}</span>
      {restorable && <RestoreButton checkpoint={restorable} />}
      <MessageActions message={message} />
    </footer>
  );
}
