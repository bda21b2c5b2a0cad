import { useEffect, useState } from "react";

import { api, call } from "../api/client";
import { grouped } from "../conversation/amounts";

/** Milliseconds between two looks. */
const OFTEN = 400;

/** How far the reading of a project has come, while one waits for its map. */
export function IndexProgress({ projectId }: { projectId: string }) {
  const [{ read, of }, setProgress] = useState({ read: 0, of: 0 });
  useEffect(() => {
    const params = { path: { project_id: projectId } };
    const look = () => {
      // The map itself says what is wrong, if something is.
      call(api.GET("/api/projects/{project_id}/overview/progress", { params })).then(setProgress, () => undefined);
    };
    look();
    const timer = window.setInterval(look, OFTEN);
    return () => {
      window.clearInterval(timer);
    };
  }, [projectId]);
  return (
    <div className="view-empty" role="status">
      <p>{of > 0 ? `Reading the project: ${grouped(read)} of ${grouped(of)} files` : "Reading the project…"}</p>
      {of > 0 && <progress value={read} max={of} aria-label="Files read" />}
    </div>
  );
}
