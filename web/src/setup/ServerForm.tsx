import { useId, useState } from "react";

import type { ServerTest } from "../api/types";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { Icon } from "../icons";
import { modelSetup } from "../state/modelSetup";

/** A server's address, tested before it is saved. */
export function ServerForm({ projectId, address }: { projectId: string; address: string }) {
  const [typed, setTyped] = useState(address);
  const [key, setKey] = useState("");
  const [tested, setTested] = useState<ServerTest | null>(null);
  const { problem, underWay, attempt } = useAttempt();
  const id = useId();
  return (
    <>
      <form
        className="setup-form"
        onSubmit={(event) => {
          event.preventDefault();
          attempt(async () => {
            setTested(null);
            setTested(await modelSetup.tryServer(projectId, typed, key));
          });
        }}
      >
        <label htmlFor={`${id}-address`}>Address</label>
        <input
          id={`${id}-address`}
          className="field"
          type="text"
          inputMode="url"
          autoComplete="off"
          spellCheck={false}
          required
          placeholder="http://127.0.0.1:8080/v1"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setTested(null);
          }}
        />
        <label htmlFor={`${id}-key`}>Key, if it needs one</label>
        <div className="setup-row">
          <input
            id={`${id}-key`}
            className="field"
            type="password"
            autoComplete="off"
            value={key}
            onChange={(event) => {
              setKey(event.target.value);
            }}
          />
          <Button submit disabled={underWay || !typed.trim()}>
            {underWay ? "Testing…" : "Test it"}
          </Button>
        </div>
        <p className="view-quiet">The key goes into your own settings file and is not shown again.</p>
      </form>
      <div role="status">
        {tested && (
          <p className={tested.answers ? "setup-good" : "setup-bad"}>
            <Icon name={tested.answers ? "check" : "warning"} /> <span>{tested.words}</span>
          </p>
        )}
      </div>
      {tested?.answers && <PickModel key={tested.base_url} projectId={projectId} tested={tested} apiKey={key} />}
      {problem && <p role="alert">{problem}</p>}
    </>
  );
}

function PickModel({ projectId, tested, apiKey }: { projectId: string; tested: ServerTest; apiKey: string }) {
  const [model, setModel] = useState(tested.models[0] ?? "");
  const { problem, underWay, attempt } = useAttempt();
  const id = useId();
  return (
    <form
      className="setup-form"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(() => modelSetup.choose(projectId, { model: model.trim(), server: tested.base_url, key: apiKey }));
      }}
    >
      <label htmlFor={id}>{tested.models.length > 0 ? "Its models" : "Name of its model"}</label>
      <div className="setup-row">
        {tested.models.length > 0 ? (
          <select
            id={id}
            className="field"
            value={model}
            onChange={(event) => {
              setModel(event.target.value);
            }}
          >
            {tested.models.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        ) : (
          <input
            id={id}
            className="field"
            required
            value={model}
            onChange={(event) => {
              setModel(event.target.value);
            }}
          />
        )}
        <Button submit look="primary" disabled={underWay || !model.trim()}>
          Use this server
        </Button>
      </div>
      {problem && <p role="alert">{problem}</p>}
    </form>
  );
}
