import type { SchemaRestorePreview as RestorePreview } from "../api/schema";
import { plural } from "../conversation/amounts";
import { isIdle } from "./words";

/** What a restore would do, so that nobody is surprised. */
export function Preview({ preview }: { preview: RestorePreview }) {
  const { writes, creates, deletes, left_alone: left, messages, set_aside: aside } = preview;
  return (
    <div className="preview">
      {isIdle(preview) && <p>Nothing would change: files and chat are as they were then.</p>}
      <Paths title="Written back" paths={writes} />
      <Paths title="Created again" paths={creates} />
      <Paths title="Deleted" paths={deletes} />
      <Paths title="Left alone" paths={left} />
      {preview.head_moves && (
        <section>
          <h3>HEAD</h3>
          <p>{preview.head}</p>
        </section>
      )}
      {aside.length > 0 && (
        <section>
          <h3>Commits set aside ({aside.length})</h3>
          <ul className="preview-list">
            {aside.map(({ commit, subject, kept_under: ref }) => (
              <li key={commit}>
                <code>{commit.slice(0, 10)}</code> {subject}
                <span className="view-quiet"> kept under {ref}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      {messages > 0 && <p>{plural(messages, "message")} of the chat would go.</p>}
      <p className="view-quiet">What is there now is kept first, so that this can be undone.</p>
    </div>
  );
}

/** Longer lists are folded: the number says enough at first sight. */
const IN_SIGHT = 8;

function Paths({ title, paths }: { title: string; paths: readonly string[] }) {
  if (paths.length === 0) return null;
  const list = (
    <ul className="preview-list">
      {paths.map((path) => (
        <li key={path}>
          <code>{path}</code>
        </li>
      ))}
    </ul>
  );
  if (paths.length <= IN_SIGHT) {
    return (
      <section>
        <h3>
          {title} ({paths.length})
        </h3>
        {list}
      </section>
    );
  }
  return (
    <details>
      <summary>
        {title} ({paths.length})
      </summary>
      {list}
    </details>
  );
}
