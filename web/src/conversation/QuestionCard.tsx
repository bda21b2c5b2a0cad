import { Button } from "../components/Button";
import { chatActions } from "../state/chat";
import type { Question } from "../state/question";
import { Markdown } from "./Markdown";
import { useAttempt } from "./useAttempt";

/** A question of the model, which it needs answered before it continues. */
export function QuestionCard({ chatId, question }: { chatId: string; question: Question }) {
  const { problem, underWay, attempt } = useAttempt();
  return (
    <section className="question" aria-label="The model asks">
      <p className="card-label">The model asks</p>
      <Markdown text={question.text} />
      {question.options.length > 0 && (
        <div className="card-buttons">
          {question.options.map((option) => (
            <Button
              key={option}
              disabled={underWay}
              onClick={() => {
                attempt(() => chatActions.send(chatId, option));
              }}
            >
              {option}
            </Button>
          ))}
        </div>
      )}
      <p className="card-hint">{question.options.length > 0 ? "Or write your own answer below." : "Answer below."}</p>
      {problem && <p role="alert">{problem}</p>}
    </section>
  );
}
