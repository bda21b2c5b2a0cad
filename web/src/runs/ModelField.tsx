import { type Option, modelOptions } from "../composing";
import { useProject } from "../state/server";

interface Props {
  projectId: string;
  /** Empty: the configured one. */
  chosen: string;
  onChoose: (model: string) => void;
}

export function ModelField({ projectId, chosen, onChoose }: Props) {
  const { defaultLabel, found, embedded } = modelOptions(useProject(projectId).models);
  return (
    <>
      <label htmlFor="run-model">Model</label>
      <select
        id="run-model"
        className="field"
        value={chosen}
        onChange={(event) => {
          onChoose(event.target.value);
        }}
      >
        <option value="">{defaultLabel}</option>
        {[...found, ...embedded].map(choice)}
      </select>
    </>
  );
}

function choice({ value, label }: Option) {
  return (
    <option key={value} value={value}>
      {label}
    </option>
  );
}
