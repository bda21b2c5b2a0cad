import type { SchemaRunState as RunState } from "../api/schema";
import { grouped } from "../conversation/amounts";
import { PROFILES } from "./words";

const CHECK_RUNS = 40;
const CHECK_SECONDS = 1800;

/** What the run has used of what it may. */
export function Budget({ state: { profile: name, spent } }: { state: RunState }) {
  const profile = PROFILES[name];
  const { usage } = spent;
  const bounded: readonly (readonly [string, number, number])[] = [
    ["Steps of the coder", spent.steps, profile.steps],
    ["Commands of the model", spent.commands, profile.commands],
    ["of these, runs of tests", spent.tests, profile.tests],
    ["Commands of Mulligan", spent.checks, CHECK_RUNS],
    ["Seconds of these", Math.round(spent.check_seconds), CHECK_SECONDS],
  ];
  return (
    <dl className="budget">
      {bounded.map(([words, used, allowed]) => (
        <div key={words} className="budget-line">
          <dt>{words}</dt>
          <dd>
            {grouped(used)} of {grouped(allowed)}
            <span className="budget-track" aria-hidden="true">
              <span className="budget-bar" style={{ width: `${String(Math.min(100, (used / allowed) * 100))}%` }} />
            </span>
          </dd>
        </div>
      ))}
      <div className="budget-line">
        <dt>Calls of the model</dt>
        <dd>{grouped(spent.model_calls)}</dd>
      </div>
      <div className="budget-line">
        <dt>Tokens</dt>
        <dd>
          {grouped(usage.prompt_tokens)} in, {grouped(usage.completion_tokens)} out
        </dd>
      </div>
    </dl>
  );
}
