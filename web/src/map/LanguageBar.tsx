import type { SchemaOverviewView as OverviewView } from "../api/schema";
import { grouped, plural } from "../conversation/amounts";
import { percent } from "./navigation";

/** Number of colours for languages; the rest share one. */
const COLOURS = 6;

/** The languages of the project, by lines. */
export function LanguageBar({ languages }: { languages: OverviewView["languages"] }) {
  const lines = languages.reduce((sum, [, , own]) => sum + own, 0);
  if (lines === 0) return null;
  return (
    <div className="languages">
      <div className="languages-bar" aria-hidden="true">
        {languages.map(([name, , own], index) => (
          <span key={name} className={colour(index)} style={{ flexGrow: own }} />
        ))}
      </div>
      <ul className="languages-names">
        {languages.map(([name, files, own], index) => (
          <li key={name} title={`${plural(files, "file")}, ${grouped(own)} lines`}>
            <span className={`languages-dot ${colour(index)}`} aria-hidden="true" />
            {name} <span className="view-quiet">{percent(own, lines)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function colour(index: number): string {
  return `language-${String(Math.min(index, COLOURS))}`;
}
