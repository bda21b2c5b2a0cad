/** The texts for states, loaded from the server before anything is shown, so that page and terminal use the same words. */
import type { Words } from "../api/types";

let current: Words = {
  stops: {},
  sentinels: {},
  failures: {},
  run_reasons: {},
  job_reasons: {},
  attempts: {},
  nodes: {},
  purposes: {},
  command_failures: {},
  exits: {},
  checkpoints: {},
};

export function setWords(words: Words): void {
  current = words;
}

export function words(): Words {
  return current;
}

/** An identifier as text: `trailing_comma` becomes "trailing comma". */
export function humanize(name: string): string {
  return name.replaceAll("_", " ");
}

/** With curly apostrophes, like the rest of the page. */
export function typographic(text: string): string {
  return text.replaceAll("'", "’");
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
