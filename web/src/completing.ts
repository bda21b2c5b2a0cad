/** Completing names in a message: finds the one being typed, and replaces it. */

export interface PartialName {
  /** Where it starts, including its mark. */
  start: number;
  /** Including its mark: `@src/a`, `/rev`. */
  text: string;
}

const COMMAND = /^\/[\w:.-]*$/;
const MENTION = /(?:^|[^\w@./"'-])(@"?[^\s@"'`<>()|,;]{0,300})$/;

/** The partial name before the cursor; null if there is none. */
export function partialNameBefore(text: string, cursor: number): PartialName | null {
  const before = text.slice(0, cursor);
  if (COMMAND.test(before)) return { start: 0, text: before };
  const mention = MENTION.exec(before)?.[1];
  return mention === undefined ? null : { start: cursor - mention.length, text: mention };
}

/** The text with the completed name, and the new cursor position. */
export function completed(text: string, partial: PartialName, name: string): { text: string; cursor: number } {
  const rest = text.slice(partial.start + partial.text.length);
  // Nobody ends a message with a folder's name: they may want to go on into it.
  const space = name.endsWith("/") || /^\s/.test(rest) ? "" : " ";
  const head = text.slice(0, partial.start) + name + space;
  return { text: head + rest, cursor: head.length };
}

/** The offers. A name that is complete already comes first, so that Enter keeps it; alone, it is not offered. */
export function worthShowing<Offer extends { text: string }>(offers: readonly Offer[], partial: string): Offer[] {
  const whole = offers.filter((each) => each.text === partial);
  const others = offers.filter((each) => each.text !== partial);
  if (partial.endsWith("/")) return others;
  return others.length === 0 ? [] : [...whole, ...others];
}
