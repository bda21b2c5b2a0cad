import { Button } from "../components/Button";
import { writeAgentChoice } from "../state/agentChoice";
import { chatActions } from "../state/chat";
import { useAttempt } from "./useAttempt";

interface Props {
  projectId: string;
  chatId: string;
  /** The user's request. */
  question: string;
}

const EDITING = "coder";

/** If a read-only agent was asked to change something: sends the request again to one that may. */
export function EditOffer({ projectId, chatId, question }: Props) {
  const { problem, underWay, attempt } = useAttempt();
  return (
    <div className="sentinel-offer">
      <Button
        icon="edit"
        disabled={underWay}
        onClick={() => {
          writeAgentChoice(projectId, { agent: EDITING, mode: "edit" });
          attempt(() => chatActions.send(chatId, question, EDITING));
        }}
      >
        Switch to Edit and try again
      </Button>
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}
