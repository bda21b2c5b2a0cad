import { createContext, memo, useContext } from "react";

import { Icon, type IconName } from "../icons";
import { CallDetail } from "./CallDetail";
import { Fold } from "./Fold";
import type { ToolCallPart, ToolResultPart } from "./messages";
import { OutcomeMark } from "./OutcomeMark";
import { duration } from "./amounts";
import { mainArgument } from "./tools";
import { outcomeOf, pendingWords, repairWords } from "./words";

interface Props {
  call: ToolCallPart;
  result: ToolResultPart | null;
  /** Its turn is running, so a result can still come. */
  live: boolean;
}

/** The pending approvals. */
export const AskedContext = createContext<ReadonlySet<string>>(new Set());

/** A tool call on one line; opened, its arguments and its result. */
export const CallLine = memo(function CallLine({ call, result, live }: Props) {
  const about = mainArgument(call.name, call.arguments);
  const asked = useContext(AskedContext).has(about);
  if (call.name === "update_todos" && result !== null && !result.failure) return <TodoList items={result.content} />;
  const outcome = outcomeOf({ call, result }, live, asked);
  const unseen = result?.pending_unseen ?? 0;
  const pending = pendingWords(result?.pending_seen ?? 0, unseen);
  const summary = (
    <span className="call-line">
      <OutcomeMark mark={outcome.mark} />
      <span className="call-name">{call.name}</span>
      <span className="call-about" title={about}>
        {about}
      </span>
      {pending !== "" && <span className={`call-pending ${unseen > 0 ? "call-pending-unseen" : ""}`}>{pending}</span>}
      {call.repairs.length > 0 && <span className="call-repaired">repaired: {repairWords(call.repairs)}</span>}
      {result !== null && result.masked > 0 && (
        <span className="call-repaired" title="Secrets in the tool’s result, which the model does not see.">
          {result.masked} masked
        </span>
      )}
      <span className={`call-outcome call-outcome-${outcome.mark}`}>{outcome.words}</span>
      {result && result.duration_ms >= 100 && <span className="call-time">{duration(result.duration_ms)}</span>}
    </span>
  );
  return (
    <Fold className={unseen > 0 ? "call call-unseen" : outcome.mark === "failed" ? "call call-failed" : "call"} summary={summary}>
      {() => <CallDetail call={call} result={result} />}
    </Fold>
  );
});

const TODO: Readonly<Record<string, { icon: IconName; words: string }>> = {
  "[x] ": { icon: "check", words: "done" },
  "[>] ": { icon: "chevronRight", words: "in progress" },
  "[ ] ": { icon: "circle", words: "open" },
};

/** The model's to-do list. */
function TodoList({ items }: { items: string }) {
  return (
    <ul className="todo-list" aria-label="To do">
      {items.split("\n").map((item, index) => {
        const state = TODO[item.slice(0, 4)];
        return (
          // Two steps may have the same text, so the position is the key.
          <li key={index} className={state && `todo-${state.icon}`}>
            {state && <Icon name={state.icon} size={14} />}
            {state && <span className="visually-hidden">{state.words}: </span>}
            <span>{state ? item.slice(4) : item}</span>
          </li>
        );
      })}
    </ul>
  );
}
