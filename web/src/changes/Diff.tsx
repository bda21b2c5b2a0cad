import { useMemo, useState } from "react";

import { api, call } from "../api/client";
import type { SchemaChangeDetail as ChangeDetail } from "../api/schema";
import type { ChangeView } from "../api/types";
import { Button } from "../components/Button";
import { settleHunks, useUnderWay } from "../state/changes";
import { useLoaded } from "../state/loaded";
import { DiffTable } from "./DiffTable";
import type { HunkActs } from "./HunkRow";
import { MORE, type Opened, WHOLE_FILE, contextFor, hunkCount, inline, rowsOf, sideBySide, withBars } from "./rows";
import type { DiffLook } from "./useDiffLook";

interface Props {
  projectId: string;
  change: ChangeView;
  look: DiffLook;
  /** The file has other changes too, so even a single hunk can be settled alone. */
  several: boolean;
}

/** The diff of one change. */
export function Diff({ projectId, change, look, several }: Props) {
  const [opened, setOpened] = useState<Opened>({});
  const context = look === "file" ? WHOLE_FILE : contextFor(opened);
  const load = async () => ({ context, detail: await loadDetail(projectId, change.id, context) });
  const { data, problem, reload } = useLoaded(change.id, load, `${String(context)} ${String(change.updated_at)}`);
  if (problem) {
    return (
      <p className="change-problem" role="alert">
        {problem} <Button onClick={reload}>Try again</Button>
      </p>
    );
  }
  if (!data) return <p className="change-quiet">Loading…</p>;
  return (
    <>
      {data.detail.change.notes.map((note) => (
        <p key={note} className="change-note">
          {note}
        </p>
      ))}
      <Lines
        {...data}
        projectId={projectId}
        status={change.status}
        several={several}
        opened={opened}
        look={look}
        onOpen={(gap) => {
          setOpened((before) => ({ ...before, [gap]: (before[gap] ?? 0) + MORE }));
        }}
      />
    </>
  );
}

interface LinesProps extends Pick<Props, "projectId" | "look" | "several"> {
  detail: ChangeDetail;
  status: ChangeView["status"];
  context: number;
  opened: Opened;
  onOpen: (gap: number) => void;
}

function Lines({ projectId, detail, status, several, context, opened, look, onOpen }: LinesProps) {
  const { id, path, kind, updated_at: seen } = detail.change;
  const underWay = useUnderWay(id);
  const count = useMemo(() => hunkCount(detail.hunks), [detail]);
  const divisible = status === "pending" && kind === "edit" && (count > 1 || several);
  const rows = useMemo(() => {
    const plain = rowsOf(detail.hunks, context, opened);
    const laid = look === "split" ? sideBySide(plain) : inline(plain);
    return divisible ? withBars(laid) : laid;
  }, [detail, context, opened, look, divisible]);
  const acts = useMemo<HunkActs | null>(
    () =>
      divisible
        ? {
            of: count,
            path,
            underWay,
            onSettle: (act, hunk) => void settleHunks(projectId, act, { id, seen, hunks: [hunk] }),
          }
        : null,
    [divisible, count, path, underWay, projectId, id, seen],
  );
  if (rows.length === 0) return <p className="change-quiet">No line changes.</p>;
  return <DiffTable path={path} rows={rows} split={look === "split"} onOpen={onOpen} acts={acts} />;
}

function loadDetail(projectId: string, changeId: string, context: number): Promise<ChangeDetail> {
  const params = { path: { project_id: projectId, change_id: changeId }, query: { context } };
  return call(api.GET("/api/projects/{project_id}/changes/{change_id}", { params }));
}
