import "../styles/markdown.css";

import { useEffect, useRef } from "react";

import { api, call } from "../api/client";
import { EditorLink } from "../changes/EditorLink";
import { DiffTable } from "../changes/DiffTable";
import type { InlineLine } from "../changes/rows";
import { plural } from "../conversation/amounts";
import { useLoaded } from "../state/loaded";

interface Props {
  projectId: string;
  path: string;
  /** The line to show; null for the beginning. */
  line: number | null;
}

/** A highlighted file. */
export function Source({ projectId, path, line }: Props) {
  const root = useRef<HTMLElement>(null);
  const { data, problem } = useLoaded(path, () => loadRows(projectId, path));
  useEffect(() => {
    if (!data || line === null) return;
    const block = Math.floor((line - 1) / 50) * 50;
    root.current?.querySelector(`[data-block="${String(block)}"]`)?.scrollIntoView({ block: "start" });
  }, [data, line]);
  return (
    <section ref={root} className="map-source" aria-label="Source" tabIndex={-1}>
      <header className="map-source-head">
        <h3>Source</h3>
        <EditorLink projectId={projectId} path={path} line={line ?? 1} />
      </header>
      {problem && <p className="view-quiet">{problem}</p>}
      {!data && !problem && <p className="view-quiet">Loading…</p>}
      {data && (
        <DiffTable path={path} caption={`Source of ${path}`} rows={data.rows} split={false} onOpen={nothing} acts={null} />
      )}
      {data && data.leftOut > 0 && <p className="view-quiet">{plural(data.leftOut, "more line")} not shown.</p>}
    </section>
  );
}

function nothing(): void {
  // Nothing is folded in a whole file.
}

async function loadRows(projectId: string, path: string): Promise<{ rows: InlineLine[]; leftOut: number }> {
  const params = { path: { project_id: projectId }, query: { path } };
  const found = await call(api.GET("/api/projects/{project_id}/overview/source", { params }));
  const rows = found.lines.map((text, index): InlineLine => {
    const line = { mark: " ", old: null, new: index + 1, text } as const;
    return { kind: "line", line, other: null };
  });
  return { rows, leftOut: found.left_out };
}
