import { Button } from "../components/Button";
import { chatActions } from "../state/chat";
import { useAttempt } from "./useAttempt";

interface Props {
  chatId: string;
  canContinue: boolean;
  /** Why not, in the server's words. */
  refused: string;
}

/** Only on the newest sentinel. */
export function ContinueOffer({ chatId, canContinue, refused }: Props) {
  const { problem, underWay, attempt } = useAttempt();
  if (!canContinue) return refused ? <p className="sentinel-detail">Can’t continue: {refused}.</p> : null;
  return (
    <div className="sentinel-offer">
      <Button
        icon="play"
        disabled={underWay}
        onClick={() => {
          attempt(() => chatActions.continueTurn(chatId));
        }}
      >
        Continue
      </Button>
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}
