/** Names that are begun in a message: which one, and what it becomes. */

export interface Begun {
  /** Where it begins, its mark included. */
  start: number;
  /** With its mark: `@src/a`, `/rev`. */
  text: string;
}

const COMMAND = /^\/[\w:.-]*$/;
const MENTION = /(?:^|[^\w@./"'-])(@"?[^\s@"'`<>()|,;]{0,300})$/;

/** The name that stands before the cursor, as far as it is written; null where none is begun. */
export function begunBefore(text: string, cursor: number): Begun | null {
  const before = text.slice(0, cursor);
  if (COMMAND.test(before)) return { start: 0, text: before };
  const mention = MENTION.exec(before)?.[1];
  return mention === undefined ? null : { start: cursor - mention.length, text: mention };
}

/** The text with a name in place of what was begun, and where the cursor stands then. */
export function completed(text: string, begun: Begun, name: string): { text: string; cursor: number } {
  const rest = text.slice(begun.start + begun.text.length);
  // Who chose a folder may want to go on into it.
  const space = name.endsWith("/") || /^\s/.test(rest) ? "" : " ";
  const head = text.slice(0, begun.start) + name + space;
  return { text: head + rest, cursor: head.length };
}

/** The offers, the name that is written in full already first: Enter must not put another in its place. Alone, it says nothing. */
export function worthShowing<Offer extends { text: string }>(offers: readonly Offer[], begun: string): Offer[] {
  const whole = offers.filter((each) => each.text === begun);
  const others = offers.filter((each) => each.text !== begun);
  if (begun.endsWith("/")) return others;
  return others.length === 0 ? [] : [...whole, ...others];
}
