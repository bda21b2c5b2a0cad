import { Link } from "wouter";

import { Icon } from "../icons";
import { type Shown, routes } from "../routes";
import { useRunning } from "../state/runs";

/** Links to a running fix run. */
export function RunUnderWay({ shown: { projectId, view, id } }: { shown: Shown }) {
  const [run] = useRunning(projectId).filter((each) => view !== "run" || each.id !== id);
  if (!run) return null;
  return (
    <Link className="run-under-way" href={routes.run(projectId, run.id)} title={run.state.goal}>
      <Icon name="run" />
      <span className="run-under-way-words">Running: {run.state.goal}</span>
    </Link>
  );
}
