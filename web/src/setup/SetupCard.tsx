import "../styles/views.css";
import "../styles/setup.css";

import { useId } from "react";

import type { ModelsView } from "../api/types";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { Icon } from "../icons";
import { serverActions } from "../state/server";
import { DownloadChoice } from "./DownloadChoice";
import { FoundChoice } from "./FoundChoice";
import { ServerForm } from "./ServerForm";
import { lookedForWords, setupSentence, setupTitle } from "./words";

interface Props {
  projectId: string;
  models: ModelsView;
}

/** The ways to get a model: one that was found, another server, a download. Nothing happens before the user says so. */
export function SetupCard({ projectId, models }: Props) {
  const heading = useId();
  return (
    <section className="setup" aria-labelledby={heading}>
      <div className="setup-head">
        <h3 id={heading}>{setupTitle(models)}</h3>
        <p role="status">{setupSentence(models)}</p>
      </div>
      {models.setup === "choose" ? (
        <>
          <OnThisMachine projectId={projectId} models={models} />
          <details className="setup-others">
            <summary>Another server, or a small model run by Mulligan</summary>
            <OtherWays projectId={projectId} models={models} />
          </details>
        </>
      ) : (
        <ModelWays projectId={projectId} models={models} />
      )}
    </section>
  );
}

export function ModelWays({ projectId, models }: Props) {
  return (
    <>
      <OnThisMachine projectId={projectId} models={models} />
      <OtherWays projectId={projectId} models={models} />
    </>
  );
}

function OtherWays({ projectId, models }: Props) {
  return (
    <>
      <section className="setup-way">
        <h4>Your own server</h4>
        <p className="view-quiet">Any that speaks OpenAI&rsquo;s chat API, or Anthropic.</p>
        {models.services.length > 0 && (
          <p className="view-quiet">A key for {models.services.join(", ")} is set in the environment; it is not used unless you enter that service here.</p>
        )}
        <ServerForm projectId={projectId} address={models.set_server ?? ""} />
      </section>
      <section className="setup-way">
        <h4>A small model, run by Mulligan</h4>
        <DownloadChoice projectId={projectId} models={models} />
      </section>
    </>
  );
}

function OnThisMachine({ projectId, models }: Props) {
  const { problem, underWay, attempt } = useAttempt();
  // With discovery off there is nothing to scan again.
  if (!models.set_server && models.looked_for.length === 0 && models.found.length === 0) return null;
  return (
    <section className="setup-way">
      <div className="setup-way-head">
        <h4>{models.set_server ? `At ${models.set_server}` : "Running on this machine"}</h4>
        <Button
          icon="retry"
          disabled={underWay}
          onClick={() => {
            attempt(() => serverActions.rescan(projectId));
          }}
        >
          {underWay ? "Scanning…" : "Scan again"}
        </Button>
      </div>
      {models.looked_for.length > 0 && (
        <ul className="setup-ports">
          {models.looked_for.map(({ name, port, server }) => (
            <li key={port} className={server ? "setup-port-found" : undefined}>
              <Icon name={server ? "check" : "minus"} />
              <span>
                {name}, port {port}: {lookedForWords(server ?? null, models.found.filter((each) => each.server === server).length)}
              </span>
            </li>
          ))}
        </ul>
      )}
      {models.found.length > 0 && <FoundChoice projectId={projectId} models={models} />}
      {problem && <p role="alert">{problem}</p>}
    </section>
  );
}
