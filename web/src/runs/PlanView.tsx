import type { SchemaPlan as Plan } from "../api/schema";

/** The coder's instructions, and which failure each step is for. */
export function PlanView({ plan }: { plan: Plan }) {
  return (
    <div className="plan">
      {plan.reason && <p>{plan.reason}</p>}
      <ol className="plan-steps">
        {plan.plan.map(({ step, failure }, index) => (
          <li key={index}>
            {step}
            {failure && <span className="plan-failure">for {failure}</span>}
          </li>
        ))}
      </ol>
      {plan.by_mulligan && <p className="view-quiet">Made by Mulligan, without the model.</p>}
    </div>
  );
}
