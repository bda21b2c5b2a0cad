import type { SchemaGroupView as GroupView } from "../api/schema";
import { plural } from "../conversation/amounts";
import { FileLink } from "./FileLink";
import { useArrival } from "./useArrival";

/** One group, with all its files. */
export function GroupPage({ group, onGo }: { group: GroupView; onGo: (path: string) => void }) {
  const heading = useArrival(group.name);
  return (
    <section className="map-section">
      <h2 ref={heading} tabIndex={-1} className="map-title">
        {group.name}
      </h2>
      <p className="view-quiet">
        {plural(group.files.length, "file")} that refer to each other more than to others. The most important first.
      </p>
      {group.symbols.length > 0 && (
        <p>
          Used most:{" "}
          {group.symbols.map((name) => (
            <code key={name} className="map-symbol">
              {name}
            </code>
          ))}
        </p>
      )}
      <ol className="map-list">
        {group.files.map((path) => (
          <li key={path}>
            <FileLink path={path} onGo={onGo} />
          </li>
        ))}
      </ol>
    </section>
  );
}
