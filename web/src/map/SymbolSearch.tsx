import { useRef, useState } from "react";

import { api, call } from "../api/client";
import type { SchemaSymbolView as SymbolView } from "../api/schema";
import { useLoaded } from "../state/loaded";
import { SymbolList } from "./SymbolList";

/** Milliseconds without a key before searching. */
const PAUSE = 180;

interface Props {
  projectId: string;
  onGo: (path: string) => void;
}

/** Finds a function, a class or a name in the project. */
export function SymbolSearch({ projectId, onGo }: Props) {
  const [text, setText] = useState("");
  const [query, setQuery] = useState("");
  const timer = useRef(0);
  const type = (typed: string) => {
    setText(typed);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      setQuery(typed.trim());
    }, PAUSE);
  };
  return (
    <search className="symbol-search">
      <label htmlFor="symbol-search" className="visually-hidden">
        Search symbols
      </label>
      <input
        id="symbol-search"
        className="field"
        type="search"
        value={text}
        maxLength={200}
        placeholder="Search functions, classes, names"
        onChange={(event) => {
          type(event.target.value);
        }}
      />
      {query && (
        <Results
          projectId={projectId}
          query={query}
          onGo={(path) => {
            type("");
            setQuery("");
            onGo(path);
          }}
        />
      )}
    </search>
  );
}

function Results({ projectId, query, onGo }: Props & { query: string }) {
  const { data, problem } = useLoaded(projectId, () => loadSymbols(projectId, query), query);
  return (
    <div className="symbol-results" role="region" aria-label="Symbols found" aria-live="polite">
      {problem && <p className="view-problem">{problem}</p>}
      {data?.length === 0 && <p className="view-quiet">No symbol with this name.</p>}
      {data && data.length > 0 && <SymbolList symbols={data} onGo={onGo} />}
    </div>
  );
}

function loadSymbols(projectId: string, query: string): Promise<SymbolView[]> {
  const params = { path: { project_id: projectId }, query: { query } };
  return call(api.GET("/api/projects/{project_id}/overview/symbols", { params }));
}
