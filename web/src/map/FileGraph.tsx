import { useState } from "react";

import type { SchemaFileView as FileView, SchemaLinkView as LinkView } from "../api/schema";
import { Button } from "../components/Button";
import { FileLink } from "./FileLink";
import { rowMiddles, splitPath } from "./navigation";

const ROW = 34;
const FAN = 56;
const AT_FIRST = 10;

interface Props {
  file: FileView;
  onGo: (path: string) => void;
}

/** A file between the files that use it and those that it uses. */
export function FileGraph({ file, onGo }: Props) {
  const [all, setAll] = useState(false);
  const cut = (links: readonly LinkView[]) => (all ? links : links.slice(0, AT_FIRST));
  const users = cut(file.imported_by);
  const used = cut(file.imports);
  const height = Math.max(users.length, used.length, 1) * ROW;
  const hidden = file.imported_by.length + file.imports.length - users.length - used.length;
  return (
    <div className="file-graph-frame">
      <div className="file-graph">
        <Side title={`Imported by (${String(file.imported_by.length)})`} links={users} onGo={onGo} />
        <Fan rows={users.length} height={height} to="right" />
        <p className="file-graph-here">{splitPath(file.path).name}</p>
        <Fan rows={used.length} height={height} to="left" />
        <Side title={`Imports (${String(file.imports.length)})`} links={used} onGo={onGo} />
      </div>
      {hidden > 0 && (
        <Button
          onClick={() => {
            setAll(true);
          }}
        >
          Show {hidden} more
        </Button>
      )}
    </div>
  );
}

interface SideProps {
  title: string;
  links: readonly LinkView[];
  onGo: (path: string) => void;
}

function Side({ title, links, onGo }: SideProps) {
  return (
    <section className="file-graph-side">
      <h3>{title}</h3>
      {links.length === 0 ? (
        <p className="view-quiet">No files of the project</p>
      ) : (
        <ul className="file-graph-links">
          {links.map(({ path, names }) => (
            <li key={path} title={names.length > 0 ? `${path}: ${names.join(", ")}` : path}>
              <FileLink path={path} onGo={onGo} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Lines from the rows of one side to the file in the middle. */
function Fan({ rows, height, to }: { rows: number; height: number; to: "left" | "right" }) {
  const middle = height / 2;
  const viewBox = [0, 0, FAN, height].join(" ");
  return (
    <svg className="file-graph-fan" width={FAN} height={height} viewBox={viewBox} aria-hidden="true">
      {rowMiddles(rows, ROW, height).map((y) => {
        const [from, end] = to === "right" ? [y, middle] : [middle, y];
        return <path key={y} d={["M", 0, from, "C", FAN / 2, from, FAN / 2, end, FAN, end].join(" ")} />;
      })}
    </svg>
  );
}
