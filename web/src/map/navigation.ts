/** Paths as they are shown, and the user's trail from file to file. Pure. */
import type { SchemaGroupView as GroupView } from "../api/schema";

/** Most files in the address; earlier ones are dropped from the trail. */
const MAX_TRAIL = 8;

export interface Shown {
  /** The last one is shown. */
  trail: readonly string[];
  /** A group's id. */
  group: string | null;
}

export function shownBy(search: URLSearchParams): Shown {
  return { trail: search.getAll("file"), group: search.get("group") };
}

export function searchFor({ trail, group }: Shown): URLSearchParams {
  const search = new URLSearchParams();
  if (group !== null) search.set("group", group);
  for (const path of trail) search.append("file", path);
  return search;
}

/** Go to a file. If it is already on the trail, go back to it. */
export function onTo(trail: readonly string[], path: string): string[] {
  const before = trail.indexOf(path);
  return before >= 0 ? trail.slice(0, before + 1) : [...trail, path].slice(-MAX_TRAIL);
}

export function splitPath(path: string): { folder: string; name: string } {
  const end = path.lastIndexOf("/") + 1;
  return { folder: path.slice(0, end), name: path.slice(end) };
}

/** Sized by files, but none too small to click. The largest first, as the map is drawn. */
export function weighed(groups: readonly GroupView[]): { group: GroupView; weight: number }[] {
  const total = groups.reduce((sum, { files }) => sum + files.length, 0);
  return groups
    .map((group) => ({ group, weight: Math.max(group.files.length, total / 40) }))
    .toSorted((one, other) => other.weight - one.weight);
}

/** Groups may share a name, but the first file of a group is in no other. */
export function groupId({ files, name }: GroupView): string {
  return files[0] ?? name;
}

/** Where the lines of a fan start: the middles of rows that are centred in a height. */
export function rowMiddles(rows: number, rowHeight: number, height: number): number[] {
  const top = (height - rows * rowHeight) / 2;
  return Array.from({ length: rows }, (_, index) => top + (index + 0.5) * rowHeight);
}

/** A share in whole percent, but never "0 %" for something that exists. */
export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (part / whole) * 100 : 0;
  return share > 0 && share < 1 ? "< 1 %" : `${String(Math.round(share))} %`;
}
