/** Keyboard shortcuts; the dialog shows this list. */
export type Command = "palette" | "help" | "new" | "changes" | "runs" | "map" | "checkpoints" | "settings" | "compose";

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
}

const single: Readonly<Record<string, Command>> = { "?": "help", n: "new", c: "changes", "/": "compose" };
const afterG: Readonly<Record<string, Command>> = { m: "map", r: "runs", c: "checkpoints", s: "settings" };

/** The command of a key. `typing`: a text field has the focus. `afterLeader`: the previous key was `g`. */
export function commandFor(pressed: Pressed, typing: boolean, afterLeader: boolean): Command | "leader" | null {
  const { key, altKey } = pressed;
  const control = pressed.ctrlKey || pressed.metaKey;
  if (control) return key.toLowerCase() === "k" && !altKey ? "palette" : null;
  if (typing || altKey) return null;
  if (afterLeader) return afterG[key] ?? null;
  return key === "g" ? "leader" : (single[key] ?? null);
}

/** Whether an element handles its keys itself. */
export function takesLetters(element: Element | null): boolean {
  if (!(element instanceof HTMLElement)) return false;
  return element.isContentEditable || element.matches("input:not([type=checkbox], [type=radio]), textarea, select");
}

export const shortcutList: readonly { title: string; keys: readonly { keys: readonly string[]; does: string }[] }[] = [
  {
    title: "Writing",
    keys: [
      { keys: ["Enter"], does: "Send" },
      { keys: ["Shift", "Enter"], does: "New line" },
      { keys: ["Esc"], does: "Stop the turn" },
      { keys: ["/"], does: "Go to the message field" },
    ],
  },
  {
    title: "Navigation",
    keys: [
      { keys: ["Ctrl", "K"], does: "Switch chats" },
      { keys: ["n"], does: "New chat" },
      { keys: ["c"], does: "Changes" },
      { keys: ["g", "m"], does: "Map" },
      { keys: ["g", "r"], does: "Runs" },
      { keys: ["g", "c"], does: "Checkpoints" },
      { keys: ["g", "s"], does: "Settings" },
      { keys: ["?"], does: "This list" },
    ],
  },
  {
    title: "In a conversation",
    keys: [
      { keys: ["j"], does: "Next message" },
      { keys: ["k"], does: "Previous message" },
      { keys: ["o"], does: "Fold or unfold it" },
      { keys: ["y"], does: "Allow the request" },
      { keys: ["n"], does: "Deny the request" },
      { keys: ["r"], does: "Give a reason" },
      { keys: ["a"], does: "Always allow it" },
    ],
  },
  {
    title: "In changes",
    keys: [
      { keys: ["j"], does: "Next change" },
      { keys: ["k"], does: "Previous change" },
      { keys: ["n"], does: "Next hunk" },
      { keys: ["p"], does: "Previous hunk" },
      { keys: ["o"], does: "Open or close it" },
      { keys: ["a"], does: "Apply" },
      { keys: ["x"], does: "Reject" },
      { keys: ["u"], does: "Undo" },
    ],
  },
];
