import type { SchemaRunLimits as RunLimits, SchemaRunState as RunState } from "../api/schema";
import { grouped } from "../conversation/amounts";

/** What the run has used, and its limits. */
export function Budget({ state: { profile: name, spent }, limits }: { state: RunState; limits: RunLimits }) {
  const profile = limits.profiles.find((each) => each.name === name);
  const { usage } = spent;
  const ofModel: readonly (readonly [string, number, number])[] = profile
    ? [
        ["Coder steps", spent.steps, profile.coder_steps],
        ["Model commands", spent.commands, profile.commands],
        ["of these, test runs", spent.tests, profile.tests],
      ]
    : [];
  const bounded = [
    ...ofModel,
    ["Mulligan commands", spent.checks, limits.checks] as const,
    ["seconds of these", Math.round(spent.check_seconds), limits.check_seconds] as const,
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
        <dt>Model calls</dt>
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
