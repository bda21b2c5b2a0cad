import { type Option, agentOptions, modelOptions } from "../composing";
import { useProject } from "../state/server";

interface ChoosersProps {
  projectId: string;
  /** Null: whatever is configured. */
  agent: string | null;
  model: string;
  onAgent: (agent: string | null) => void;
  onModel: (model: string) => void;
}

/** Who answers, and with which model. */
export function Choosers({ projectId, agent, model, onAgent, onModel }: ChoosersProps) {
  const { agents = [], models } = useProject(projectId);
  const chosen = agents.find((each) => each.name === agent);
  const { usual, found, embedded } = modelOptions(models);
  return (
    <div className="choosers">
      <label className="chooser" title={chosen?.description}>
        <span className="visually-hidden">Agent</span>
        <select
          value={agent ?? ""}
          onChange={(event) => {
            onAgent(event.target.value || null);
            onModel("");
          }}
        >
          {agent === null && <option value="">agent as configured</option>}
          {agent !== null && !chosen && <option value={agent}>{agent}</option>}
          <Group label="Mulligan's agents" options={agentOptions(agents, "native")} />
          <Group label="External agents" options={agentOptions(agents, "external")} />
        </select>
      </label>
      {chosen?.kind === "external" ? (
        <label className="chooser">
          <span className="visually-hidden">Model for {chosen.name}</span>
          <input
            type="text"
            placeholder={`model: ${chosen.name}'s own`}
            value={model}
            spellCheck={false}
            onChange={(event) => {
              onModel(event.target.value);
            }}
          />
        </label>
      ) : (
        <label className="chooser" title={model || usual}>
          <span className="visually-hidden">Model</span>
          <select
            value={model}
            onChange={(event) => {
              onModel(event.target.value);
            }}
          >
            <option value="">{usual}</option>
            <Group label="Found on servers" options={found} />
            <Group label="Embedded" options={embedded} />
          </select>
        </label>
      )}
    </div>
  );
}

function Group({ label, options }: { label: string; options: readonly Option[] }) {
  if (options.length === 0) return null;
  return (
    <optgroup label={label}>
      {options.map((each) => (
        <option key={each.value} value={each.value} disabled={each.disabled}>
          {each.label}
        </option>
      ))}
    </optgroup>
  );
}
