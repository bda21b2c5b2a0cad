/** Paths as they are shown, and the way a person takes from file to file. Pure. */
import type { SchemaGroupView as GroupView } from "../api/schema";

/** Files that stay in the address: the way back to more than that is another way. */
const LONGEST_TRAIL = 8;

export interface Shown {
  /** The last one is shown. */
  trail: readonly string[];
  /** By its id. */
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

/** On to a file. One that is on the trail already is gone back to. */
export function onTo(trail: readonly string[], path: string): string[] {
  const before = trail.indexOf(path);
  return before >= 0 ? trail.slice(0, before + 1) : [...trail, path].slice(-LONGEST_TRAIL);
}

export function splitPath(path: string): { folder: string; name: string } {
  const end = path.lastIndexOf("/") + 1;
  return { folder: path.slice(0, end), name: path.slice(end) };
}

/** By files, but none so small that it can't be hit. The largest first, as the map is drawn. */
export function weighed(groups: readonly GroupView[]): { group: GroupView; weight: number }[] {
  const total = groups.reduce((sum, { files }) => sum + files.length, 0);
  return groups
    .map((group) => ({ group, weight: Math.max(group.files.length, total / 40) }))
    .toSorted((one, other) => other.weight - one.weight);
}

/** Names of groups may be shared; the first of its files is in no other. */
export function groupId({ files, name }: GroupView): string {
  return files[0] ?? name;
}

/** Where the lines of a fan begin: the middles of rows that are centred in a height. */
export function rowMiddles(rows: number, rowHeight: number, height: number): number[] {
  const top = (height - rows * rowHeight) / 2;
  return Array.from({ length: rows }, (_, place) => top + (place + 0.5) * rowHeight);
}

/** A share in whole percent, and never "0 %" for what is there. */
export function percent(part: number, whole: number): string {
  const share = whole > 0 ? (part / whole) * 100 : 0;
  return share > 0 && share < 1 ? "< 1 %" : `${String(Math.round(share))} %`;
}
