import { useEffect, useState } from "react";

import { api, call } from "../api/client";
import { grouped } from "../conversation/amounts";
import { onEnvelopes } from "../state/socket";

/** Progress of indexing a project, while its map is not ready. */
export function IndexProgress({ projectId }: { projectId: string }) {
  const [{ read, of }, setProgress] = useState({ read: 0, of: 0 });
  useEffect(() => {
    const params = { path: { project_id: projectId } };
    let heard = false;
    // It may have started before this page listened. The map itself reports errors.
    call(api.GET("/api/projects/{project_id}/overview/progress", { params })).then(
      (before) => {
        if (!heard) setProgress(before);
      },
      () => undefined,
    );
    return onEnvelopes((envelopes) => {
      const newest = envelopes.findLast((each) => each.project_id === projectId && each.frame.type === "index");
      if (newest?.frame.type === "index") {
        heard = true;
        setProgress({ read: newest.frame.read, of: newest.frame.of });
      }
    });
  }, [projectId]);
  return (
    <div className="view-empty" role="status">
      <p>{of > 0 ? `Reading the project: ${grouped(read)} of ${grouped(of)} files` : "Reading the project…"}</p>
      {of > 0 && <progress value={read} max={of} aria-label="Files read" />}
    </div>
  );
}
