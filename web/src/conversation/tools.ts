import { plural } from "./amounts";

type Arguments = Readonly<Record<string, unknown>>;
type Kind = "file" | "search" | "folder" | "project";

/** Tools that only read the project, and what one call of them reads. */
const LOOKUPS: Readonly<Partial<Record<string, Kind>>> = {
  view_file: "file",
  grep: "search",
  find_files: "search",
  search_symbols: "search",
  get_symbol_info: "search",
  get_dependencies: "search",
  get_file_analysis: "search",
  find_tools: "search",
  list_dir: "folder",
  get_codebase_overview: "project",
  get_framework_analysis: "project",
  get_semantic_neighborhoods: "project",
  watch_changes: "project",
};

/** The arguments that best describe a call, best first. */
const TELLING = [
  ...["tool", "command", "path", "file_path", "filePath", "pattern", "query"],
  ...["name", "question", "around", "url"],
];

export function isLookup(tool: string): boolean {
  return LOOKUPS[tool] !== undefined;
}

/** The argument to show next to the tool's name. */
export function mainArgument(tool: string, given: Arguments): string {
  const path = text(given["path"]);
  if (tool === "view_file") return path + lineRange(given);
  if (tool === "grep" || tool === "find_files") {
    const scope = path && path !== "." ? ` in ${path}` : "";
    return text(given["pattern"]) + scope;
  }
  for (const name of TELLING) {
    const value = text(given[name]);
    if (value) return oneLine(value);
  }
  return oneLine(Object.values(given).map(text).find(Boolean) ?? "");
}

/**
 * "Read 4 files, searched twice". Only calls that succeeded are counted; a file that was read in two pieces is one
 * file.
 */
export function lookupWords(calls: readonly { name: string; arguments: Arguments }[]): string {
  const places: Record<"file" | "folder", Set<string>> = { file: new Set(), folder: new Set() };
  const counts = { search: 0, project: 0 };
  for (const call of calls) {
    const kind = LOOKUPS[call.name] ?? "project";
    if (kind === "file" || kind === "folder") places[kind].add(placeOf(call.arguments));
    else counts[kind] += 1;
  }
  const words = [
    places.file.size && `read ${plural(places.file.size, "file")}`,
    counts.search && `searched ${times(counts.search)}`,
    places.folder.size && `listed ${plural(places.folder.size, "folder")}`,
    counts.project && `inspected the project ${counts.project > 1 ? times(counts.project) : ""}`.trimEnd(),
  ].filter((each) => typeof each === "string");
  const sentence = words.join(", ");
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** A path may be written as `a`, `./a` and `a/`; the empty one is the project itself. */
function placeOf(given: Arguments): string {
  return text(given["path"]).replace(/^(\.\/+)+|\/+$/g, "") || ".";
}

function times(count: number): string {
  if (count === 1) return "once";
  return count === 2 ? "twice" : `${String(count)} times`;
}

function lineRange(given: Arguments): string {
  const start = given["start_line"];
  const end = given["end_line"];
  if (typeof start !== "number" && typeof end !== "number") return "";
  const from = typeof start === "number" ? String(start) : "1";
  return typeof end === "number" ? `:${from}–${String(end)}` : `:${from}`;
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function oneLine(value: string): string {
  const [first = "", ...rest] = value.trim().split("\n");
  return rest.length > 0 ? `${first} …` : first;
}
