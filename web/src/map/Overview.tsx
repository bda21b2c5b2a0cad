import { type ReactNode, useState } from "react";

import type { SchemaOverviewView as OverviewView } from "../api/schema";
import { Button } from "../components/Button";
import { grouped, plural } from "../conversation/amounts";
import { FileLink } from "./FileLink";
import { GroupMap } from "./GroupMap";
import { LanguageBar } from "./LanguageBar";

interface Props {
  overview: OverviewView;
  onGo: (path: string) => void;
  onGroup: (id: string) => void;
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
        <Section title="Groups of files">
          <GroupMap groups={groups} onGo={onGo} onGroup={onGroup} />
        </Section>
      )}
      <div className="map-columns">
        {important.length > 0 && (
          <Section title="Most important files">
            <Important files={important} onGo={onGo} />
          </Section>
        )}
        <div className="map-column">
          {entries.length > 0 && (
            <Section title="Entry points">
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
                    <FileLink path={path} onGo={onGo} />
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

const AT_FIRST = 12;

function Important({ files, onGo }: { files: OverviewView["important"]; onGo: (path: string) => void }) {
  const [all, setAll] = useState(false);
  const shown = all ? files : files.slice(0, AT_FIRST);
  return (
    <>
      <ol className="map-list">
        {shown.map(({ path, why }) => (
          <li key={path}>
            <FileLink path={path} onGo={onGo} />
            <span className="view-quiet">{why.join(", ")}</span>
          </li>
        ))}
      </ol>
      {shown.length < files.length && (
        <p>
          <Button
            onClick={() => {
              setAll(true);
            }}
          >
            Show {files.length - shown.length} more
          </Button>
        </p>
      )}
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
