/** Messages between the page and a diagram's frame. The page trusts nothing from a frame without checking it. */

export interface DrawRequest {
  source: string;
  dark: boolean;
}

export type FrameMessage = { type: "ready" } | { type: "drawn"; height: number } | { type: "failed" };

/** Pixels. A taller diagram scrolls in its frame. */
const HIGHEST = 4000;

export function readFrameMessage(data: unknown): FrameMessage | null {
  if (typeof data !== "object" || data === null || !("type" in data)) return null;
  if (data.type === "ready" || data.type === "failed") return { type: data.type };
  if (data.type !== "drawn" || !("height" in data)) return null;
  const { height } = data;
  if (typeof height !== "number" || !Number.isFinite(height) || height <= 0) return null;
  return { type: "drawn", height: Math.min(Math.ceil(height), HIGHEST) };
}

export function readDrawRequest(data: unknown): DrawRequest | null {
  if (typeof data !== "object" || data === null || !("source" in data) || !("dark" in data)) return null;
  const { source, dark } = data;
  return typeof source === "string" && typeof dark === "boolean" ? { source, dark } : null;
}

const KINDS: [RegExp, string][] = [
  [/^(graph|flowchart)\b/, "Flowchart"],
  [/^sequenceDiagram\b/, "Sequence diagram"],
  [/^classDiagram\b/, "Class diagram"],
  [/^stateDiagram\b/, "State diagram"],
  [/^erDiagram\b/, "Entity relationship diagram"],
  [/^gantt\b/, "Gantt chart"],
  [/^pie\b/, "Pie chart"],
  [/^journey\b/, "User journey"],
  [/^timeline\b/, "Timeline"],
  [/^gitGraph\b/, "Git graph"],
];

/** The name of a diagram for screen readers: its kind and its own title. */
export function diagramName(source: string): string {
  const lines = source.split("\n").map((line) => line.trim());
  const kind = KINDS.find(([begins]) => lines.some((line) => begins.test(line)))?.[1] ?? "Diagram";
  const title = lines.map((line) => /^(?:pie\s+)?(?:accTitle|title)\s*:?\s+(\S.*)$/.exec(line)?.[1]).find(Boolean);
  return title ? `${kind}: ${title}` : kind;
}
