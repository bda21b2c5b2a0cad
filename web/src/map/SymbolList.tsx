import type { SchemaSymbolView as SymbolView } from "../api/schema";

interface Props {
  symbols: readonly SymbolView[];
  /** With it, symbols of several files are listed, and each links to its file. */
  onGo?: (path: string) => void;
  /** Shows a line of the file that they are all in. */
  onLine?: (line: number) => void;
}

export function SymbolList({ symbols, onGo, onLine }: Props) {
  return (
    <ul className="symbols">
      {symbols.map((symbol) => (
        <li key={`${symbol.path}:${String(symbol.line)}:${symbol.parent}.${symbol.name}`} className="symbol">
          <span className="symbol-kind">{symbol.kind}</span>
          <div className="symbol-what">
            {onGo ? (
              <button
                type="button"
                className="file-link"
                onClick={() => {
                  onGo(symbol.path);
                }}
              >
                <Name symbol={symbol} />
              </button>
            ) : (
              <Name symbol={symbol} />
            )}
            {symbol.signature && <code className="symbol-signature">{symbol.signature}</code>}
            {symbol.doc && <p className="view-quiet">{symbol.doc}</p>}
          </div>
          <span className="symbol-line">
            {onLine ? (
              <button
                type="button"
                className="file-link"
                onClick={() => {
                  onLine(symbol.line);
                }}
              >
                line {symbol.line}
              </button>
            ) : (
              `${symbol.path}:${String(symbol.line)}`
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Name({ symbol: { name, parent } }: { symbol: SymbolView }) {
  return (
    <span className="symbol-name">
      {parent && <span className="file-link-folder">{parent}.</span>}
      {name}
    </span>
  );
}
