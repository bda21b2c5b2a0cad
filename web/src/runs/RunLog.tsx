import { api, call } from "../api/client";
import type { RunView } from "../api/types";
import { CodeBlock } from "../conversation/CodeBlock";
import { useLoaded } from "../state/loaded";

interface Props {
  run: Pick<RunView, "id" | "project_id">;
  number: number;
}

/** The complete output of one of the run's commands. */
export function RunLog({ run, number }: Props) {
  const { data, problem } = useLoaded(`${run.id} ${String(number)}`, () => loadLog(run, number));
  if (problem) {
    return (
      <p className="view-problem" role="alert">
        {problem}
      </p>
    );
  }
  return data === undefined ? <p className="view-quiet">Loading…</p> : <CodeBlock language="log">{data}</CodeBlock>;
}

async function loadLog({ id, project_id: projectId }: Props["run"], number: number): Promise<string> {
  const params = { path: { project_id: projectId, run_id: id, number } };
  return (await call(api.GET("/api/projects/{project_id}/runs/{run_id}/logs/{number}", { params }))).text;
}
