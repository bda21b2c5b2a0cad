import type { IconName } from "../icons";
import type { Sentinel } from "./messages";
import { grouped } from "./amounts";
import { failureKindWords } from "./words";

export interface Look {
  /** `stop`: a guard ended the turn. `fault`: something broke. `bend`: the turn goes on differently. `note`: the rest. */
  tone: "stop" | "fault" | "bend" | "note";
  icon: IconName;
  /** Empty for a kind that this page does not know: its sentence stands alone. */
  label: string;
}

const LOOKS: Readonly<Partial<Record<string, Look>>> = {
  doom_loop: { tone: "stop", icon: "loop", label: "Going in circles" },
  cap_hit: { tone: "stop", icon: "flag", label: "Steps used up" },
  empty_reply: { tone: "stop", icon: "chat", label: "No reply" },
  reply_cut: { tone: "bend", icon: "retry", label: "Reply cut" },
  model_failed: { tone: "fault", icon: "warning", label: "Model failed" },
  agent_failed: { tone: "fault", icon: "warning", label: "Agent failed" },
  outside_writes: { tone: "fault", icon: "warning", label: "Your checkout changed" },
  aborted: { tone: "note", icon: "stop", label: "Stopped" },
  interrupted: { tone: "fault", icon: "pause", label: "Interrupted" },
  compacted: { tone: "note", icon: "compress", label: "Context compacted" },
};

export function lookOf(sentinel: Sentinel | null): Look {
  if (sentinel?.kind === "mistake_recovery") {
    return sentinel.escalated
      ? { tone: "stop", icon: "close", label: "Repeated errors" }
      : { tone: "bend", icon: "retry", label: "Recovery" };
  }
  // A newer server may send kinds that this page was not built with.
  return LOOKS[sentinel?.kind ?? ""] ?? { tone: "note", icon: "info", label: "" };
}

/** What the sentence does not say; empty if it says all. */
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
