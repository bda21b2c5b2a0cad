import { LongText } from "./LongText";
import type { ToolCallPart, ToolResultPart } from "./messages";

const ARGUMENT = { lines: 12, characters: 1500 };
const RESULT = { lines: 24, characters: 4000 };

export function CallDetail({ call, result }: { call: ToolCallPart; result: ToolResultPart | null }) {
  const given = Object.entries(call.arguments);
  return (
    <div className="call-detail">
      {given.length > 0 && (
        <dl className="call-arguments">
          {given.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <LongText text={written(value)} limits={ARGUMENT}>
                  {(shown) => (
                    <pre className="call-value" tabIndex={0} aria-label={`Argument ${name}`}>
                      {shown}
                    </pre>
                  )}
                </LongText>
              </dd>
            </div>
          ))}
        </dl>
      )}
      {result && (
        <LongText text={result.content || "No output."} limits={RESULT}>
          {(shown) => (
            <pre className="call-result" tabIndex={0} aria-label={`Result of ${call.name}`}>
              {shown}
            </pre>
          )}
        </LongText>
      )}
    </div>
  );
}

/** Strings as they are, so that a new file's content can be read; everything else as JSON. */
function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
