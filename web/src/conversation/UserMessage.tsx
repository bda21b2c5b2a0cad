import { ImageStrip } from "../components/ImageStrip";
import { useChats } from "../state/chatStore";
import { Fold } from "./Fold";
import { LongText } from "./LongText";
import { MessageActions } from "./MessageActions";
import { type Message, attachedTo, imagesOf, textOf, commandOutput } from "./messages";

const LIMITS = { lines: 16, characters: 2000 };

/** The user's message, as they typed it. */
export function UserMessage({ message }: { message: Message }) {
  const text = textOf(message);
  if (message.metadata.kind === "prompt" && message.metadata.continues) {
    return (
      <Fold className="user-message-continued" summary="You pressed Continue">
        {() => <p className="user-message-text">{text}</p>}
      </Fold>
    );
  }
  if (message.metadata.kind === "prompt" && message.metadata.is_note) {
    return (
      <div className="user-message">
        <LongText text={commandOutput(message)} limits={LIMITS}>
          {(shown) => <pre className="user-message-text user-message-output">{shown}</pre>}
        </LongText>
      </div>
    );
  }
  return (
    <div className="user-message">
      {text !== "" && (
        <LongText text={text} limits={LIMITS}>
          {(shown) => <p className="user-message-text">{shown}</p>}
        </LongText>
      )}
      <Images message={message} />
      {attachedTo(message).map(({ words, problem }) => (
        <p key={words} className={problem ? "user-message-attached user-message-attached-not" : "user-message-attached"}>
          {words}
        </p>
      ))}
      <MessageActions message={message} />
    </div>
  );
}

function Images({ message }: { message: Message }) {
  const projectId = useChats((state) => state.chats[message.chat_id]?.detail.chat.project_id);
  return projectId !== undefined && <ImageStrip projectId={projectId} images={imagesOf(message)} />;
}
