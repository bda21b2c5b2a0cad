/** Texts for choosing a model. */
import type { EmbeddedView, ModelsView, PullProgress } from "../api/types";
import { bytes } from "../sizes";

export function setupTitle(models: ModelsView): string {
  return models.setup === "missing" ? "Set up a model" : "Which model should answer?";
}

export function setupSentence({ setup, problem, set_server: server, found, looked_for: lookedFor }: ModelsView): string {
  if (setup === "choose") return `${String(found.length)} models were found. Choose one; you can change it at any time.`;
  if (server) return `The configured server, ${server}, does not answer. ${problem}`;
  if (problem) return capital(`${problem}.`);
  const none = lookedFor.length > 0 ? "No model server is running on this machine." : "No model is configured, and discovery is off.";
  return `${none} Choose one of these. Nothing is downloaded or sent until you say so.`;
}

/** The result of checking one port. */
export function lookedForWords(server: string | null, models: number): string {
  if (server === null) return "not found";
  return models === 1 ? "found, with 1 model" : `found, with ${String(models)} models`;
}

/** The button that starts a download, or resumes one. */
export function downloadWords({ title, size, begun }: EmbeddedView): string {
  const name = shortTitle(title);
  if (begun === 0) return `Download ${name}, ${bytes(size)}`;
  return `Resume downloading ${name}, ${bytes(Math.max(0, size - begun))} left`;
}

/** "Qwen2.5-Coder 1.5B Instruct (Q4_K_M)" becomes "Qwen2.5-Coder 1.5B". */
export function shortTitle(title: string): string {
  return title.replace(/ Instruct.*$/, "");
}

/** What a download that no longer runs reported; null if nothing. */
export function pullWords(pull: PullProgress | undefined): string | null {
  if (pull?.state === "failed") return capital(pull.words);
  if (pull?.state === "cancelled") return "Stopped. The part already downloaded is kept.";
  return null;
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
