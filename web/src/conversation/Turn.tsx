import "../styles/conversation.css";

import { useMemo } from "react";

import { Icon } from "../icons";
import type { ChangeInChat, Notice } from "../state/chat";
import { ChangeList } from "./ChangeList";
import { type Checkpoint, turnOf } from "./messages";
import { foldRepeated, type Row } from "./rows";
import { SentinelCard } from "./SentinelCard";
import { isQuiet, type Item, partsToSteps, stepsToItems, weave } from "./steps";
import { TurnEnd } from "./TurnEnd";
import { TurnItem } from "./TurnItem";
import { WaitingLine } from "./WaitingLine";
import { markOf } from "./words";

export interface TurnProps {
  row: Row;
  texts: Readonly<Record<string, string>>;
  notices: readonly Notice[];
  changes: readonly ChangeInChat[];
  changesHref: string;
  checkpoint: Checkpoint | undefined;
}

/** An assistant message: all steps of a turn, the sentinels that changed its course, and how it ended. */
export function Turn({ row, texts, notices, changes, changesHref, checkpoint }: TurnProps) {
  const { message, insets, closing } = row;
  const items = useMemo(() => {
    const cuts = new Set(insets.map((inset) => inset.step ?? 0));
    return stepsToItems(partsToSteps(message.parts), cuts);
  }, [message.parts, insets]);
  const turn = turnOf(message);
  const live = message.status === "streaming";
  const growing = live ? items.at(-1) : undefined;
  const repeated = useMemo(() => foldRepeated(insets), [insets]);
  const countOf = new Map(repeated.map((each) => [each.message.id, each.count]));
  const stopped = items.findIndex((item) => item.kind === "wrap_up");
  const unchecked = new Set(stopped < 0 ? [] : items.slice(stopped + 1));
  const mark = markOf(message, closing ? texts[closing.id] : undefined);
  return (
    <div className="turn">
      {live && turn?.parent_message_id != null && <p className="synthesis">Synthesis — reading the files behind the answer</p>}
      {weave(items, repeated.map((each) => each.message)).map((woven) =>
        "item" in woven ? (
          <div key={woven.item.key} className={unchecked.has(woven.item) ? "turn-unchecked" : "turn-item"}>
            <TurnItem item={woven.item} live={live} growing={woven.item === growing} />
          </div>
        ) : (
          <SentinelCard
            key={woven.inset.id}
            message={woven.inset}
            text={texts[woven.inset.id] ?? ""}
            count={countOf.get(woven.inset.id) ?? 1}
          />
        ),
      )}
      {notices.map((notice) => (
        <p key={notice.id} className="notice">
          {notice.text}
        </p>
      ))}
      {live && <WaitingLine messageId={message.id} doing={doingWords(items)} />}
      {mark && (
        <p className={`turn-mark turn-mark-${message.status}`}>
          <Icon name="warning" />
          <span>{mark}</span>
        </p>
      )}
      {changes.length > 0 && <ChangeList changes={changes} href={changesHref} />}
      {turn && !live && turn.parent_message_id == null && <TurnEnd message={message} turn={turn} checkpoint={checkpoint} />}
    </div>
  );
}

function doingWords(items: readonly Item[]): string {
  if (!isQuiet(items)) return "";
  return items.length === 0 ? "Waiting for the model…" : "Working…";
}
