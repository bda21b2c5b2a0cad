import { useState } from "react";

import { api, call } from "../api/client";
import type { ModelsView } from "../api/types";
import type { SchemaModelProfile as ModelProfile } from "../api/schema";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { serverActions } from "../state/server";
import { profileRows } from "./profile";

/** What is known about the model, and a button that finds out the rest. */
export function ProbePanel({ projectId, models }: { projectId: string; models: ModelsView }) {
  const { problem, underWay, attempt } = useAttempt();
  const [found, setFound] = useState<ModelProfile | null>(null);
  const name = models.chosen?.replace(/^embedded:/, "");
  const known = found ?? models.profiles.find((each) => each.model === name && each.server === models.server);
  const probe = async () => {
    const params = { path: { project_id: projectId } };
    const answer = await call(api.POST("/api/projects/{project_id}/models/probe", { params }));
    setFound(answer.profile);
    await serverActions.rescan(projectId);
  };
  return (
    <div className="probe">
      {known ? (
        <dl className="probe-facts">
          {profileRows(known).map(([what, value]) => (
            <div key={what}>
              <dt>{what}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="view-quiet">Nothing is known about this model yet. Mulligan learns from its replies, or from a probe.</p>
      )}
      <div className="setup-row">
        <Button
          icon="search"
          disabled={underWay || models.setup === "missing"}
          onClick={() => {
            attempt(probe);
          }}
        >
          {underWay ? "Probing…" : "Probe this model"}
        </Button>
        <span className="view-quiet" role="status">
          {underWay ? "A few small questions. A slow model takes a minute or two." : "A few small questions to find out what it can do."}
        </span>
      </div>
      {problem && (
        <p role="alert" className="view-problem">
          {problem}
        </p>
      )}
    </div>
  );
}
