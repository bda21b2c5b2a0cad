import type { Message, Part, Synthesis, ToolCallPart, ToolResultPart } from "./messages";
import { isLookup } from "./tools";

export interface Call {
  key: string;
  call: ToolCallPart;
  /** Null while it runs, and forever if the turn ended before it returned. */
  result: ToolResultPart | null;
}

/** An item of a turn; they are shown one below the other. */
export type Item =
  | { kind: "text"; key: string; step: number; text: string; byMulligan: boolean }
  | { kind: "reasoning"; key: string; step: number; text: string }
  | { kind: "call"; key: string; step: number; call: Call }
  | { kind: "looking"; key: string; step: number; calls: Call[] }
  | { kind: "wrap_up"; key: string; step: number }
  | { kind: "synthesis"; key: string; step: number; synthesis: Synthesis };

export interface Step {
  /** Step 0 has what Mulligan read before the first step. */
  step: number;
  wrapUp: boolean;
  items: Item[];
}

/** A message's parts grouped by step, each result with its call. */
export function partsToSteps(parts: readonly Part[]): Step[] {
  let current: Step = { step: 0, wrapUp: false, items: [] };
  const steps = [current];
  // Weak models reuse call ids, so a result belongs to the latest call with its id.
  const calls = new Map<string, Call>();
  parts.forEach((part, index) => {
    const key = String(index);
    const step = current.step;
    switch (part.kind) {
      case "step_start":
        current = { step: part.step, wrapUp: part.wrap_up, items: [] };
        steps.push(current);
        break;
      case "text":
        if (part.text.trim()) {
          current.items.push({ kind: "text", key, step, text: part.text, byMulligan: part.by_mulligan });
        }
        break;
      case "reasoning":
        if (part.text.trim()) current.items.push({ kind: "reasoning", key, step, text: part.text });
        break;
      case "tool_call": {
        const call: Call = { key, call: part, result: null };
        calls.set(part.call_id, call);
        current.items.push({ kind: "call", key, step, call });
        break;
      }
      case "tool_result": {
        const call = calls.get(part.call_id);
        if (call) call.result = part;
        break;
      }
      case "synthesis":
        current.items.push({ kind: "synthesis", key, step, synthesis: part });
        break;
    }
  });
  return steps.filter((each) => each.step > 0 || each.items.length > 0);
}

/**
 * All items in order. Consecutive calls that only read the project are grouped, across steps: reading is one piece of
 * work, however many replies it took. `cuts` are steps after which something else is shown.
 */
export function stepsToItems(steps: readonly Step[], cuts: ReadonlySet<number> = new Set()): Item[] {
  const items: Item[] = [];
  let run: { step: number; calls: Call[] } | null = null;
  const settle = () => {
    if (!run) return;
    const { step, calls } = run;
    const [first] = calls;
    if (first && calls.length === 1) items.push({ kind: "call", key: first.key, step, call: first });
    else if (first) items.push({ kind: "looking", key: first.key, step, calls });
    run = null;
  };
  for (const { step, wrapUp, items: own } of steps) {
    if (wrapUp) {
      settle();
      items.push({ kind: "wrap_up", key: `wrap-up-${String(step)}`, step });
    }
    for (const item of own) {
      if (item.kind === "call" && isLookup(item.call.call.name)) {
        run ??= { step, calls: [] };
        run.calls.push(item.call);
        // A group belongs to the step of its last call: what is shown after that step is below it.
        run.step = step;
      } else {
        settle();
        items.push(item);
      }
    }
    if (cuts.has(step)) settle();
  }
  settle();
  // The sources of a text come before the text, although they are only known after it.
  const isOrigin = (item: Item) => item.kind === "synthesis";
  return [...items.filter(isOrigin), ...items.filter((item) => !isOrigin(item))];
}

export type Woven = { item: Item } | { inset: Message };

/** Items with the sentinels that were raised between them, each after the last item of its step. */
export function weave(items: readonly Item[], insets: readonly Message[]): Woven[] {
  const waiting = [...insets].sort((one, other) => (one.step ?? 0) - (other.step ?? 0));
  const woven: Woven[] = [];
  for (const item of items) {
    while (waiting[0] && (waiting[0].step ?? 0) < item.step) {
      woven.push({ inset: waiting[0] });
      waiting.shift();
    }
    woven.push({ item });
  }
  return [...woven, ...waiting.map((inset) => ({ inset }))];
}

/** Whether a running turn shows nothing that moves, and needs a line that says it is running. */
export function isQuiet(items: readonly Item[]): boolean {
  const last = items.at(-1);
  switch (last?.kind) {
    case "text":
    case "reasoning":
      return false;
    case "call":
      return last.call.result !== null;
    case "looking":
      return last.calls.every((call) => call.result !== null);
    default:
      return true;
  }
}
