import "../styles/views.css";
import "../styles/map.css";

import { useEffect, useMemo } from "react";
import { useSearchParams } from "wouter";

import { api, call } from "../api/client";
import type { SchemaOverviewView as OverviewView } from "../api/schema";
import { Coalesced } from "../state/coalesced";
import { useLoaded } from "../state/loaded";
import { onEnvelopes } from "../state/socket";
import { FilePage } from "./FilePage";
import { GroupPage } from "./GroupPage";
import { IndexProgress } from "./IndexProgress";
import { Overview } from "./Overview";
import { type Shown, groupId, onTo, searchFor, shownBy } from "./navigation";
import { SymbolSearch } from "./SymbolSearch";
import { Trail } from "./Trail";

/** The project as a map. The position is in the address, so the browser's back button works. */
export function MapPage({ projectId }: { projectId: string }) {
  const [search, setSearch] = useSearchParams();
  const shown = useMemo(() => shownBy(search), [search]);
  const { data, problem, reload } = useLoaded(projectId, () => loadOverview(projectId));
  useChangedFiles(projectId, reload);
  const show = (next: Shown) => {
    setSearch(searchFor(next));
  };
  const go = (path: string) => {
    show({ ...shown, trail: onTo(shown.trail, path) });
  };
  const path = shown.trail.at(-1);
  const group = data?.groups.find((each) => groupId(each) === shown.group);
  return (
    <div className="view map">
      <SymbolSearch projectId={projectId} onGo={go} />
      <Trail shown={shown} group={group?.name ?? "Group"} onShow={show} />
      {path !== undefined && <FilePage projectId={projectId} path={path} onGo={go} />}
      {path === undefined && problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
      {path === undefined && !data && !problem && <IndexProgress projectId={projectId} />}
      {path === undefined && data && group && <GroupPage group={group} onGo={go} />}
      {path === undefined && data && !group && (
        <Overview
          overview={data}
          onGo={go}
          onGroup={(id) => {
            show({ trail: [], group: id });
          }}
        />
      )}
    </div>
  );
}

/** Milliseconds: an editor or an agent changes many files in a row, and the map may lag a little. */
const SETTLES = 1_500;

function useChangedFiles(projectId: string, reload: () => void): void {
  useEffect(() => {
    const loads = new Coalesced(() => {
      reload();
      return Promise.resolve();
    }, SETTLES);
    return onEnvelopes((envelopes) => {
      const changed = envelopes.some((each) => each.project_id === projectId && each.frame.type === "files_changed");
      if (changed) loads.ask(projectId);
    });
  }, [projectId, reload]);
}

function loadOverview(projectId: string): Promise<OverviewView> {
  const params = { path: { project_id: projectId } };
  // The client's types make lists of the schema's pairs.
  return call(api.GET("/api/projects/{project_id}/overview", { params })) as Promise<OverviewView>;
}
