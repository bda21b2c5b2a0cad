import { Link } from "wouter";

import { type Mode, type Option, agentFor, agentOptions, modelOptions } from "../composing";
import { routes } from "../routes";
import { useProject } from "../state/server";
import { Segmented } from "./Segmented";

interface ChoosersProps {
  projectId: string;
  /** Null: the configured one. */
  agent: string | null;
  mode: Mode;
  /** A chat of an external agent stays with that agent. */
  fixed: boolean;
  model: string;
  onAgent: (agent: string | null) => void;
  onModel: (model: string) => void;
}

const modes = [
  { value: "ask", words: "Ask", help: "Reads and answers. Changes no files." },
  { value: "edit", words: "Edit", help: "May change files. Every change stays pending until you apply it." },
] as const;

/** Chooses whether files may change, the agent and the model. */
export function Choosers({ projectId, agent, mode, fixed, model, onAgent, onModel }: ChoosersProps) {
  const { agents = [], models, defaultAgent } = useProject(projectId);
  const chosen = agents.find((each) => each.name === agent);
  const { reading, editing, external, missing } = agentOptions(agents);
  const { defaultLabel, found, embedded } = modelOptions(models);
  const choose = (name: string | null) => {
    onAgent(name);
    onModel("");
  };
  return (
    <div className="choosers">
      {!fixed && (
        <Segmented
          label="Mode"
          className={`mode mode-${mode}`}
          choices={modes}
          chosen={mode}
          onChoose={(wanted) => {
            if (wanted !== mode) choose(agentFor(wanted, agents, defaultAgent));
          }}
        />
      )}
      <label className="chooser" title={chosen?.description}>
        <span className="visually-hidden">Agent</span>
        <select
          value={agent ?? ""}
          onChange={(event) => {
            choose(event.target.value || null);
          }}
        >
          {agent === null && <option value="">default agent</option>}
          {agent !== null && !chosen && <option value={agent}>{agent}</option>}
          <Group label="Ask: these only read" options={reading} chosen={agent} />
          <Group label="Edit: these may change files" options={editing} chosen={agent} />
          <Group label="External agents, each in a work tree" options={external} chosen={agent} />
        </select>
      </label>
      {chosen?.kind === "external" ? (
        <label className="chooser">
          <span className="visually-hidden">Model for {chosen.name}</span>
          <input
            type="text"
            placeholder={`model: ${chosen.name}'s default`}
            value={model}
            spellCheck={false}
            onChange={(event) => {
              onModel(event.target.value);
            }}
          />
        </label>
      ) : (
        <label className="chooser" title={model || defaultLabel}>
          <span className="visually-hidden">Model</span>
          <select
            value={model}
            onChange={(event) => {
              onModel(event.target.value);
            }}
          >
            <option value="">{defaultLabel}</option>
            <Group label="Found on servers" options={found} />
            <Group label="Embedded" options={embedded} />
          </select>
        </label>
      )}
      {missing > 0 && (
        <Link className="choosers-more" href={`${routes.settings(projectId)}#agents`}>
          {missing} not installed
        </Link>
      )}
    </div>
  );
}

/** A closed list has no room for a description: it shows the name of the chosen one, and the rest as a tooltip. */
function Group({ label, options, chosen = null }: { label: string; options: readonly Option[]; chosen?: string | null }) {
  if (options.length === 0) return null;
  return (
    <optgroup label={label}>
      {options.map((each) => (
        <option key={each.value} value={each.value}>
          {each.value === chosen ? each.value : each.label}
        </option>
      ))}
    </optgroup>
  );
}
