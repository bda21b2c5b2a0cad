import "../styles/changes.css";

import type { SchemaRestorePreview as RestorePreview } from "../api/schema";
import { UnifiedDiff } from "../changes/UnifiedDiff";
import { plural } from "../conversation/amounts";
import { Fold } from "../conversation/Fold";
import { Icon } from "../icons";
import { isIdle } from "./words";

interface Props {
  preview: RestorePreview;
  /** Whether the user agreed to what happens to their branches. */
  agreed: boolean;
  onAgree: (agreed: boolean) => void;
}

/** What a restore would do. */
export function Preview({ preview, agreed, onAgree }: Props) {
  const { writes, creates, deletes, left_alone: left, messages, rejects, branches, set_aside: aside } = preview;
  return (
    <div className="preview">
      {isIdle(preview) && <p>Nothing would change: files and chat are as they were then.</p>}
      {branches.length > 0 && (
        <section className="preview-branches">
          <h3>
            <Icon name="warning" /> Your git branch
          </h3>
          {branches.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
          {aside.length > 0 && (
            <ul className="preview-list">
              {aside.map(({ commit, subject }) => (
                <li key={commit}>
                  <code>{commit.slice(0, 10)}</code> {subject}
                </li>
              ))}
            </ul>
          )}
          <label className="preview-agree">
            <input
              type="checkbox"
              checked={agreed}
              onChange={(event) => {
                onAgree(event.target.checked);
              }}
            />
            Yes, move it
          </label>
        </section>
      )}
      <Files title="Restored" paths={writes} preview={preview} />
      <Files title="Recreated" paths={creates} preview={preview} />
      <Files title="Deleted" paths={deletes} preview={preview} />
      <Files title="Not changed" paths={left} preview={preview} />
      {rejects.length > 0 && (
        <section>
          <h3>Pending changes that will be rejected ({rejects.length})</h3>
          <Names names={rejects} />
        </section>
      )}
      {messages > 0 && <p>{plural(messages, "message")} of the chat would be removed.</p>}
      <p className="view-quiet">The current state is saved first, so you can undo this.</p>
    </div>
  );
}

/** Longer lists are folded, with their length as the summary. */
const IN_SIGHT = 8;

interface FilesProps {
  title: string;
  paths: readonly string[];
  preview: RestorePreview;
}

function Files({ title, paths, preview: { diffs } }: FilesProps) {
  if (paths.length === 0) return null;
  const heading = `${title} (${String(paths.length)})`;
  const list = (
    <ul className="preview-list">
      {paths.map((path) => {
        const diff = diffs.find((each) => each.path === path)?.diff;
        return (
          <li key={path}>
            {diff ? (
              <Fold className="preview-file" summary={<code>{path}</code>}>
                {() => <UnifiedDiff diff={diff} />}
              </Fold>
            ) : (
              <code>{path}</code>
            )}
          </li>
        );
      })}
    </ul>
  );
  if (paths.length <= IN_SIGHT) {
    return (
      <section>
        <h3>{heading}</h3>
        {list}
      </section>
    );
  }
  return (
    <details>
      <summary>{heading}</summary>
      {list}
    </details>
  );
}

function Names({ names }: { names: readonly string[] }) {
  return (
    <ul className="preview-list">
      {names.map((name) => (
        <li key={name}>
          <code>{name}</code>
        </li>
      ))}
    </ul>
  );
}
