/** How settings are shown, and how entries are parsed. */
import type { SettingView, SettingsView } from "../api/types";

export const groupTitles: Readonly<Record<SettingView["group"], string>> = {
  models: "Sampling",
  turns: "Turns and agents",
  commands: "Commands and the sandbox",
  appearance: "Appearance",
  storage: "Storage",
};

/** "first_token_timeout" becomes "First token timeout". */
export function settingTitle({ place }: SettingView): string {
  const name = place.at(-1) ?? "";
  const words = (titles[name] ?? name).replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const titles: Readonly<Record<string, string>> = {
  base_url: "Server",
  api_key: "Key",
  num_ctx: "Context length (Ollama)",
  keep_alive: "Keep in memory (Ollama)",
  idle_timeout: "Silence within a reply (s)",
  first_token_timeout: "Silence before a reply (s)",
  diagnostics_timeout: "Wait for checkers (s)",
  max_tokens: "Longest reply (tokens)",
  context_length: "Context length (tokens)",
  thinking_budget: "Thinking budget (tokens)",
  discovery: "Look for servers on this machine",
  downloads: "Download embedded models",
  network: "Network for commands",
  instructions: "Send instructions from AGENTS.md",
  allow_commands: "Allowed commands",
  deny_commands: "Forbidden commands",
  database_url: "Database",
};

/** The origin of a value, briefly. */
export function sourceWords({ source, where }: SettingView): string {
  switch (source) {
    case "default":
      return where ? "recommended for this model" : "default";
    case "personal":
      return "your file";
    case "project":
      return "this project's file";
    case "environment":
    case "flag":
      return where;
  }
}

/** The value as a field's text; empty if nothing is set. */
export function fieldText({ value, kind }: SettingView): string {
  if (value === null || value === undefined) return "";
  if (kind === "list") return Array.isArray(value) ? value.join("\n") : "";
  if (kind === "boolean") return value === true ? "yes" : "no";
  return typeof value === "string" ? value : JSON.stringify(value);
}

export type Entry = { value: unknown } | { problem: string };

/** The parsed entry; null removes the user's own value. */
export function entered(kind: SettingView["kind"], text: string): Entry {
  const typed = text.trim();
  switch (kind) {
    case "list": {
      const lines = typed.split("\n").map((line) => line.trim());
      const values = lines.filter((line) => line !== "");
      return { value: values.length > 0 ? values : null };
    }
    case "boolean":
      return { value: typed === "" ? null : typed === "yes" };
    case "number":
    case "integer": {
      if (typed === "") return { value: null };
      const number = Number(typed);
      const fits = kind === "integer" ? Number.isSafeInteger(number) : Number.isFinite(number);
      return fits ? { value: number } : { problem: kind === "integer" ? "Enter a whole number." : "Enter a number." };
    }
    default:
      return { value: typed === "" ? null : typed };
  }
}

/** Without the settings that the model setup already shows. */
export function shownIn(view: SettingsView, group: SettingView["group"]): SettingView[] {
  return view.settings.filter((each) => each.group === group);
}
