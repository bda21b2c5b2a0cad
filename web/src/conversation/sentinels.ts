import type { SentinelStyle } from "../api/types";
import type { IconName } from "../icons";
import { words } from "../state/words";
import { grouped } from "./amounts";
import type { Sentinel } from "./messages";
import { continuesTurn } from "./rows";
import { failureKindWords } from "./words";

/** A kind that this page does not know has no label, only its sentence. */
export function lookOf(sentinel: Sentinel | null): Omit<SentinelStyle, "icon"> & { icon: IconName } {
  const look = words().sentinels[sentinel?.kind ?? ""] ?? { tone: "note", icon: "info", label: "", label_if_continued: "" };
  if (look.tone !== "stop" || !sentinel || !continuesTurn(sentinel)) return look;
  return { ...look, tone: "detour", icon: "retry", label: look.label_if_continued || look.label };
}

/** Details that the sentence does not contain; empty if there are none. */
export function sentinelDetail(sentinel: Sentinel): string {
  switch (sentinel.kind) {
    case "mistake_recovery":
      return `${grouped(sentinel.count)} calls in a row: ${failureKindWords(sentinel.failure_kinds)}.`;
    case "reply_cut":
      return `Said ${grouped(sentinel.count)} times: “${shortened(sentinel.repeated)}”`;
    default:
      return "";
  }
}

function shortened(text: string): string {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}
