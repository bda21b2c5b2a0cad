import { Link } from "wouter";

import type { ChangeInChat } from "../state/chat";
import { plural } from "./amounts";

interface Props {
  changes: readonly ChangeInChat[];
  href: string;
}

/** The files that a turn changed, or would change. */
export function ChangeList({ changes, href }: Props) {
  const pending = changes.filter((change) => change.status === "pending").length;
  return (
    <section className="change-list" aria-label="Changes of this turn">
      <ul>
        {changes.map((change) => (
          <li key={change.change_id}>
            <span className="change-list-kind">{change.kind}</span>
            <code className="change-list-path">{change.path}</code>
            <LineCounts change={change} />
            <span className="change-list-status">{change.status}</span>
          </li>
        ))}
      </ul>
      <Link href={href} className="change-list-link">
        {pending > 0 ? `Review ${plural(pending, "change")}` : "Show in changes"}
      </Link>
    </section>
  );
}

function LineCounts({ change: { added, removed } }: { change: ChangeInChat }) {
  if (added === null && removed === null) return <span />;
  return (
    <span className="change-list-lines">
      <span className="change-list-added">+{added ?? 0}</span>{" "}
      <span className="change-list-removed">−{removed ?? 0}</span>
    </span>
  );
}
