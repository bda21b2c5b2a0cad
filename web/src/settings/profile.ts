/** A model's profile, as text. */
import type { SchemaModelProfile as ModelProfile } from "../api/schema";
import { grouped } from "../conversation/amounts";

export function profileRows(profile: ModelProfile): [string, string][] {
  const rows: [string, string | null][] = [
    ["Context", amount(profile.context_length, "tokens")],
    ["Truncates long prompts", amount(profile.truncates_at, "tokens", "at ")],
    ["Calls tools natively", yesNo(profile.native_tools)],
    ["Several calls at once", yesNo(profile.parallel_calls)],
    ["Follows a JSON schema", yesNo(profile.json_schema)],
    ["Reads", amount(profile.reads_per_second, "tokens a second")],
    ["Writes", amount(profile.writes_per_second, "tokens a second")],
    ["Exercises solved", profile.ability == null ? null : `${String(Math.round(profile.ability * 100))} %`],
    ["Agency", profile.agency == null ? null : profile.agency === "guided" ? "guided by Mulligan" : "the model"],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}

function amount(value: number | null | undefined, unit: string, before = ""): string | null {
  return value == null ? null : `${before}${grouped(Math.round(value))} ${unit}`;
}

function yesNo(value: boolean | null | undefined): string | null {
  return value == null ? null : value ? "yes" : "no";
}
