import "../styles/conversation.css";

import { useMemo } from "react";

import { Icon } from "../icons";
import type { ChangeInChat, Notice } from "../state/chat";
import { ChangeList } from "./ChangeList";
import { type Checkpoint, turnOf } from "./messages";
import type { Row } from "./rows";
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

/** An assistant message: all steps of a turn, what bent it on its way, and how it ended. */
export function Turn({ row, texts, notices, changes, changesHref, checkpoint }: TurnProps) {
  const { message, insets, closing } = row;
  const items = useMemo(() => {
    const cuts = new Set(insets.map((inset) => inset.step ?? 0));
    return stepsToItems(partsToSteps(message.parts), cuts);
  }, [message.parts, insets]);
  const turn = turnOf(message);
  const live = message.status === "streaming";
  const growing = live ? items.at(-1) : undefined;
  const mark = markOf(message, closing ? texts[closing.id] : undefined);
  return (
    <div className="turn">
      {live && turn?.beside != null && <p className="synthesis">Synthesis — reading the files behind the answer</p>}
      {weave(items, insets).map((woven) =>
        "item" in woven ? (
          <TurnItem key={woven.item.key} item={woven.item} live={live} growing={woven.item === growing} />
        ) : (
          <SentinelCard key={woven.inset.id} message={woven.inset} text={texts[woven.inset.id] ?? ""} />
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
      {turn && !live && turn.beside == null && <TurnEnd message={message} turn={turn} checkpoint={checkpoint} />}
    </div>
  );
}

function doingWords(items: readonly Item[]): string {
  if (!isQuiet(items)) return "";
  return items.length === 0 ? "Waiting for the model…" : "Working…";
}
