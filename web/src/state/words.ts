/** What states are called. The server says so before anything is shown, so that page and terminal use the same words. */
import type { Words } from "../api/types";

let told: Words = { stops: {}, sentinels: {}, failures: {}, run_reasons: {}, job_reasons: {}, attempts: {}, checkpoints: {} };

export function learnWords(words: Words): void {
  told = words;
}

export function words(): Words {
  return told;
}

/** A name of code within a sentence: `trailing_comma` is "trailing comma". */
export function spoken(name: string): string {
  return name.replaceAll("_", " ");
}

/** At the beginning of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
