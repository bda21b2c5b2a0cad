import type { ReactNode } from "react";

import { Icon } from "../icons";
import { Fold } from "./Fold";
import { Markdown } from "./Markdown";
import { type Message, sentinelOf, textOf } from "./messages";
import { lookOf, sentinelDetail } from "./sentinels";

interface Props {
  message: Message;
  /** The server's sentence, word for word. */
  text: string;
  /** How often it was raised in its turn. */
  count?: number;
  /** Its buttons. */
  children?: ReactNode;
}

/** What Mulligan did about a turn, and why. For people only: the model never sees it. */
export function SentinelCard({ message, text, count = 1, children }: Props) {
  const sentinel = sentinelOf(message);
  const { tone, icon, label } = lookOf(sentinel);
  const detail = sentinel ? sentinelDetail(sentinel) : "";
  const written = textOf(message);
  return (
    <div className={`sentinel sentinel-${tone}`}>
      <Icon name={icon} />
      <div className="sentinel-body">
        {label && (
          <p className="sentinel-label">
            {label}
            {count > 1 && <span className="sentinel-count"> {count} times in this turn</span>}
          </p>
        )}
        <p className="sentinel-text">{text}</p>
        {detail && <p className="sentinel-detail">{detail}</p>}
        {written && (
          <Fold className="sentinel-written" summary="What the model sees instead">
            {() => <Markdown text={written} />}
          </Fold>
        )}
        {children}
      </div>
    </div>
  );
}
