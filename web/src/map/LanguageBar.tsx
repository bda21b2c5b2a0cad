import type { SchemaOverviewView as OverviewView } from "../api/schema";
import { grouped, plural } from "../conversation/amounts";
import { percent } from "./places";

/** Colours there are for languages; the rest shares one. */
const COLOURS = 6;

/** Which languages the project is written in, by lines. */
export function LanguageBar({ languages }: { languages: OverviewView["languages"] }) {
  const lines = languages.reduce((sum, [, , own]) => sum + own, 0);
  if (lines === 0) return null;
  return (
    <div className="languages">
      <div className="languages-bar" aria-hidden="true">
        {languages.map(([name, , own], place) => (
          <span key={name} className={colour(place)} style={{ flexGrow: own }} />
        ))}
      </div>
      <ul className="languages-names">
        {languages.map(([name, files, own], place) => (
          <li key={name} title={`${plural(files, "file")}, ${grouped(own)} lines`}>
            <span className={`languages-dot ${colour(place)}`} aria-hidden="true" />
            {name} <span className="view-quiet">{percent(own, lines)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function colour(place: number): string {
  return `language-${String(Math.min(place, COLOURS))}`;
}
