import type { SchemaCheck as Check, SchemaRunState as RunState } from "../api/schema";
import { Icon } from "../icons";
import { originWords, outcomeWords } from "./words";

/** The result of each of the project's commands before any change, and with the changes kept so far. */
export function Evidence({ state }: { state: RunState }) {
  if (state.commands.length === 0) return <p className="view-quiet">No command judges this run.</p>;
  return (
    <div className="evidence" tabIndex={0} role="region" aria-label="Evidence">
      <table>
        <thead>
          <tr>
            <th scope="col">Command</th>
            <th scope="col">Before</th>
            <th scope="col">Now</th>
          </tr>
        </thead>
        <tbody>
          {state.commands.map(({ command, why }) => (
            <tr key={command}>
              <th scope="row">
                <code>{command}</code>
                <span className="view-quiet">{originWords(why)}</span>
              </th>
              <Result check={state.baseline.find((each) => each.command === command)} />
              <Result check={state.current_checks.find((each) => each.command === command)} />
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Result({ check }: { check: Check | undefined }) {
  if (!check) return <td className="view-quiet">not run</td>;
  const failing = check.report.failing.length || null;
  return (
    <td>
      <span className={`check-mark check-mark-${check.passed ? "passed" : "failed"}`}>
        <Icon name={check.passed ? "check" : "close"} />
        {outcomeWords({ passed: check.passed, kind: check.kind ?? null, failing })}
      </span>
      {!check.passed && check.summary && <span className="view-quiet">{check.summary}</span>}
    </td>
  );
}
