import { Fold } from "./Fold";
import { LongText } from "./LongText";
import { MessageActions } from "./MessageActions";
import { type Message, textOf } from "./messages";

const LIMITS = { lines: 16, characters: 2000 };

/** What the person said, as they typed it. */
export function PersonMessage({ message }: { message: Message }) {
  const text = textOf(message);
  if (message.metadata.kind === "prompt" && message.metadata.continues) {
    return (
      <Fold className="person-continued" summary="You pressed Continue">
        {() => <p className="person-text">{text}</p>}
      </Fold>
    );
  }
  return (
    <div className="person">
      <LongText text={text} limits={LIMITS}>
        {(shown) => <p className="person-text">{shown}</p>}
      </LongText>
      <MessageActions message={message} />
    </div>
  );
}
