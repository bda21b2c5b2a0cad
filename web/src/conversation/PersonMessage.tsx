import { ImageStrip } from "../components/ImageStrip";
import { useChats } from "../state/chatStore";
import { Fold } from "./Fold";
import { LongText } from "./LongText";
import { MessageActions } from "./MessageActions";
import { type Message, attachedTo, imagesOf, textOf, toldIn } from "./messages";

const LIMITS = { lines: 16, characters: 2000 };

/** The user's message, as they typed it. */
export function PersonMessage({ message }: { message: Message }) {
  const text = textOf(message);
  if (message.metadata.kind === "prompt" && message.metadata.continues) {
    return (
      <Fold className="person-continued" summary="You pressed Continue">
        {() => <p className="person-text">{text}</p>}
      </Fold>
    );
  }
  if (message.metadata.kind === "prompt" && message.metadata.only_told) {
    return (
      <div className="person">
        <LongText text={toldIn(message)} limits={LIMITS}>
          {(shown) => <pre className="person-text person-told">{shown}</pre>}
        </LongText>
      </div>
    );
  }
  return (
    <div className="person">
      {text !== "" && (
        <LongText text={text} limits={LIMITS}>
          {(shown) => <p className="person-text">{shown}</p>}
        </LongText>
      )}
      <Images message={message} />
      {attachedTo(message).map(({ words, problem }) => (
        <p key={words} className={problem ? "person-attached person-attached-not" : "person-attached"}>
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
