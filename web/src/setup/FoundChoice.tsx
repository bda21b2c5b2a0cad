import { useId, useState } from "react";

import type { ModelsView } from "../api/types";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { modelSetup } from "../state/modelSetup";

/** One of the models that were found. */
export function FoundChoice({ projectId, models }: { projectId: string; models: ModelsView }) {
  const { problem, underWay, attempt } = useAttempt();
  const [picked, pick] = useState<string | null>(null);
  const id = useId();
  const named = models.found.map((each) => ({ ...each, key: `${each.server} ${each.name}` }));
  const suggested = named.find((each) => each.name === models.chosen && each.server === models.server) ?? named[0];
  const wanted = named.find((each) => each.key === picked) ?? suggested;
  return (
    <form
      className="setup-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted) attempt(() => modelSetup.choose(projectId, { model: wanted.name, server: wanted.server, key: "" }));
      }}
    >
      <label htmlFor={id}>Models found</label>
      <div className="setup-row">
        <select
          id={id}
          className="field"
          value={wanted?.key}
          onChange={(event) => {
            pick(event.target.value);
          }}
        >
          {named.map(({ key, name, server, kind }) => (
            <option key={key} value={key}>
              {name} ({kind === "openai" ? "" : `${kind} `}at {new URL(server).host})
            </option>
          ))}
        </select>
        <Button submit look={models.setup === "choose" ? "primary" : "plain"} disabled={underWay}>
          Use this model
        </Button>
      </div>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
