import type { ReactNode } from "react";

import type { SchemaOverviewView as OverviewView } from "../api/schema";
import { grouped, plural } from "../conversation/amounts";
import { FileLink } from "./FileLink";
import { GroupMap } from "./GroupMap";
import { LanguageBar } from "./LanguageBar";

interface Props {
  overview: OverviewView;
  onGo: (path: string) => void;
  onGroup: (name: string) => void;
}

/** The project at a glance. */
export function Overview({ overview, onGo, onGroup }: Props) {
  const { files, lines, frameworks, groups, important, entry_points: entries, documents, skipped } = overview;
  return (
    <>
      <section className="map-section">
        <p>
          {plural(files, "file")}, {grouped(lines)} lines
        </p>
        <LanguageBar languages={overview.languages} />
        {frameworks.length > 0 && (
          <ul className="map-lines view-quiet">
            {frameworks.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        )}
      </section>
      {groups.length > 0 && (
        <Section title="What belongs together">
          <GroupMap groups={groups} onGo={onGo} onGroup={onGroup} />
        </Section>
      )}
      <div className="map-columns">
        {important.length > 0 && (
          <Section title="What matters most">
            <ol className="map-list">
              {important.map(({ path, why }) => (
                <li key={path}>
                  <FileLink path={path} onGo={onGo} />
                  <span className="view-quiet">{why.join(", ")}</span>
                </li>
              ))}
            </ol>
          </Section>
        )}
        <div className="map-column">
          {entries.length > 0 && (
            <Section title="Where it starts">
              <ul className="map-list">
                {entries.map(([path, what]) => (
                  <li key={`${path} ${what}`}>
                    <FileLink path={path} onGo={onGo} />
                    <span className="view-quiet">{what}</span>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {documents.length > 0 && (
            <Section title="Documents">
              <ul className="map-lines">
                {documents.map((path) => (
                  <li key={path}>
                    <code>{path}</code>
                  </li>
                ))}
              </ul>
            </Section>
          )}
          {skipped.length > 0 && (
            <Section title="Not on the map">
              <ul className="map-lines view-quiet">
                {skipped.map(([why, count]) => (
                  <li key={why}>
                    {plural(count, "file")}: {why.replaceAll("_", " ")}
                  </li>
                ))}
              </ul>
            </Section>
          )}
        </div>
      </div>
    </>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="map-section">
      <h2>{title}</h2>
      {children}
    </section>
  );
}
