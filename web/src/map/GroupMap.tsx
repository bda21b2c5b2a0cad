import { type CSSProperties, useMemo, useRef, useState } from "react";

import type { SchemaGroupView as GroupView } from "../api/schema";
import { Button } from "../components/Button";
import { plural } from "../conversation/amounts";
import { BreakableName } from "./BreakableName";
import { FileLink } from "./FileLink";
import { groupId, splitPath, weighed } from "./navigation";
import { type Box, linesIn, namedTreemap } from "./treemap";
import { useWidth } from "./useWidth";

const HIGHEST = 460;
/** What a file adds to the height of the map: a small project needs no large one. */
const A_FILE = 30;
/** Pixels: below this width the boxes are stacked, as high as they need to be. */
const NARROW = 560;
const HEAD = 46;
const LINE = 24;
/** On a phone: the initial number of groups, and of files in each. */
const LISTED = 8;
const LISTED_FILES = 3;

interface Props {
  groups: readonly GroupView[];
  onGo: (path: string) => void;
  onGroup: (id: string) => void;
}

/** Files that belong together, as boxes sized by their number, with the most important ones inside. */
export function GroupMap({ groups, onGo, onGroup }: Props) {
  const field = useRef<HTMLUListElement>(null);
  const width = useWidth(field);
  const files = groups.reduce((sum, group) => sum + group.files.length, 0);
  const height = Math.min(HIGHEST, HEAD + files * A_FILE);
  const drawn = useMemo(() => {
    const all = weighed(groups);
    const named = all.map(({ group, weight }) => ({ name: splitPath(group.name).name, weight }));
    const boxes = namedTreemap(named, width, height);
    return all.map(({ group }, index) => ({ group, box: boxes[index] }));
  }, [groups, width, height]);
  const [all, setAll] = useState(false);
  const asList = width < NARROW;
  const inBoxes = drawn.filter(({ box }) => box);
  const shown = !asList ? inBoxes : all ? drawn : drawn.slice(0, LISTED);
  return (
    <>
      <ul
        ref={field}
        className={`groups ${asList ? "groups-list" : "groups-map"}`}
        style={asList ? undefined : { height }}
      >
        {shown.map(({ group, box }) => (
          <li key={groupId(group)} className="group" style={asList || !box ? undefined : placed(box)}>
            <GroupName group={group} width={asList ? undefined : box?.width} onGroup={onGroup} />
            <ul className="group-files">
              {(asList || !box ? group.files.slice(0, LISTED_FILES) : fitting(group, box)).map((path) => (
                <li key={path}>
                  <FileLink path={path} short onGo={onGo} />
                </li>
              ))}
            </ul>
          </li>
        ))}
        {asList && shown.length < drawn.length && (
          <li>
            <Button
              onClick={() => {
                setAll(true);
              }}
            >
              Show {drawn.length - shown.length} more
            </Button>
          </li>
        )}
      </ul>
      {!asList && inBoxes.length < drawn.length && (
        <ul className="groups-small" aria-label="Smaller ones">
          {drawn.slice(inBoxes.length).map(({ group }) => (
            <li key={groupId(group)}>
              <GroupName group={group} onGroup={onGroup} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

interface NameProps extends Pick<Props, "onGroup"> {
  group: GroupView;
  /** Width of its box, if it has one: a folder that does not fit is only in the tooltip. */
  width?: number | undefined;
}

function GroupName({ group, width = Number.MAX_SAFE_INTEGER, onGroup }: NameProps) {
  const { folder, name } = splitPath(group.name);
  const count = plural(group.files.length, "file");
  return (
    <button
      type="button"
      className="group-name"
      title={`${group.name}, ${count}`}
      onClick={() => {
        onGroup(groupId(group));
      }}
    >
      <b>
        <BreakableName name={name} />
      </b>
      <span className="group-count">
        {linesIn(`${count} ${folder}`, width) === 1 ? `${count} ${folder}` : count}
      </span>
    </button>
  );
}

/** The files whose full names fit. Others are not rendered, so that no hidden link takes the focus. */
function fitting({ name, files }: GroupView, box: Box): string[] {
  let room = Math.floor((box.height - HEAD) / LINE) - linesIn(splitPath(name).name, box.width) + 1;
  return files.filter((path) => {
    room -= linesIn(splitPath(path).name, box.width);
    return room >= 0;
  });
}

function placed({ x, y, width, height }: Box): CSSProperties {
  return { left: x, top: y, width, height };
}
