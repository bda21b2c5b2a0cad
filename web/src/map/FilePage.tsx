import { useState } from "react";
import { useLocation } from "wouter";

import { api, call } from "../api/client";
import type { SchemaFileView as FileView } from "../api/schema";
import { Button } from "../components/Button";
import { grouped, plural } from "../conversation/amounts";
import { routes } from "../routes";
import { draftKey, writeDraft } from "../state/drafts";
import { useLoaded } from "../state/loaded";
import { FileGraph } from "./FileGraph";
import { Source } from "./Source";
import { SymbolList } from "./SymbolList";
import { useArrival } from "./useArrival";

interface Props {
  projectId: string;
  path: string;
  onGo: (path: string) => void;
}

/** One file: its symbols, what it uses, and what uses it. */
export function FilePage({ projectId, path, onGo }: Props) {
  const heading = useArrival(path);
  const [, navigate] = useLocation();
  const [line, setLine] = useState<number | null>(null);
  const { data, problem } = useLoaded(path, () => loadFile(projectId, path));
  const ask = () => {
    const question = `Explain ${path}: what it is for, how it works, and what to watch out for when changing it.`;
    writeDraft(draftKey.newChat(projectId), question);
    navigate(routes.project(projectId));
  };
  return (
    <article className="map-section">
      <header className="map-file-head">
        <h2 ref={heading} tabIndex={-1} className="map-title">
          {path}
        </h2>
        <Button icon="chat" onClick={ask}>
          Ask about this file
        </Button>
      </header>
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
      {!data && !problem && <p className="view-empty">Loading…</p>}
      {data && (
        <>
          <p className="view-quiet">{facts(data)}</p>
          {data.doc && <p className="map-doc">{data.doc}</p>}
          <FileGraph key={path} file={data} onGo={onGo} />
          {data.external.length > 0 && (
            <p>
              From elsewhere:{" "}
              {data.external.map((name) => (
                <code key={name} className="map-symbol">
                  {name}
                </code>
              ))}
            </p>
          )}
          <h3>{plural(data.symbols.length, "symbol")}</h3>
          <SymbolList symbols={data.symbols} onLine={setLine} />
        </>
      )}
      <Source key={path} projectId={projectId} path={path} line={line} />
    </article>
  );
}

function facts({ language, lines, rank }: FileView): string {
  return [language, `${grouped(lines)} lines`, rank > 0 ? `rank ${grouped(rank)} by importance` : ""]
    .filter(Boolean)
    .join(" · ");
}

function loadFile(projectId: string, path: string): Promise<FileView> {
  const params = { path: { project_id: projectId }, query: { path } };
  return call(api.GET("/api/projects/{project_id}/overview/file", { params }));
}
