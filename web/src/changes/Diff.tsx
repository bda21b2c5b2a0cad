import { useMemo, useState } from "react";

import { api, call } from "../api/client";
import type { SchemaChangeDetail as ChangeDetail } from "../api/schema";
import type { ChangeView } from "../api/types";
import { Button } from "../components/Button";
import { plural } from "../conversation/amounts";
import { useLoaded } from "../state/loaded";
import { InlineDiff } from "./InlineDiff";
import { MORE, type Opened, contextFor, markWords, rowsOf, sideBySide } from "./rows";
import { SplitDiff } from "./SplitDiff";
import type { DiffLook } from "./useDiffLook";

/** Rows that are drawn at first: a browser takes its time for tens of thousands. */
const AT_FIRST = 800;

interface Props {
  projectId: string;
  change: ChangeView;
  look: DiffLook;
}

/** What a change does to its file, line by line. */
export function Diff({ projectId, change, look }: Props) {
  const [opened, setOpened] = useState<Opened>({});
  const context = contextFor(opened);
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
        opened={opened}
        look={look}
        onOpen={(gap) => {
          setOpened((before) => ({ ...before, [gap]: (before[gap] ?? 0) + MORE }));
        }}
      />
    </>
  );
}

interface LinesProps {
  detail: ChangeDetail;
  context: number;
  opened: Opened;
  look: DiffLook;
  onOpen: (gap: number) => void;
}

function Lines({ detail, context, opened, look, onOpen }: LinesProps) {
  const [all, setAll] = useState(false);
  const rows = useMemo(() => rowsOf(detail.hunks, context, opened), [detail, context, opened]);
  const shown = useMemo(() => (all ? rows : rows.slice(0, AT_FIRST)), [rows, all]);
  const words = useMemo(() => markWords(shown), [shown]);
  const caption = `What changes in ${detail.change.path}`;
  if (rows.length === 0) return <p className="change-quiet">No line changes.</p>;
  return (
    <>
      {look === "split" ? (
        <SplitDiff caption={caption} rows={sideBySide(shown)} words={words} onOpen={onOpen} />
      ) : (
        <InlineDiff caption={caption} rows={shown} words={words} onOpen={onOpen} />
      )}
      {shown.length < rows.length && (
        <p className="change-quiet">
          <Button
            onClick={() => {
              setAll(true);
            }}
          >
            Show the other {plural(rows.length - shown.length, "line")}
          </Button>
        </p>
      )}
    </>
  );
}

function loadDetail(projectId: string, changeId: string, context: number): Promise<ChangeDetail> {
  const params = { path: { project_id: projectId, change_id: changeId }, query: { context } };
  return call(api.GET("/api/projects/{project_id}/changes/{change_id}", { params }));
}
