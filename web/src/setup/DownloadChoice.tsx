import type { EmbeddedView, ModelsView } from "../api/types";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { bytes } from "../sizes";
import { modelSetup } from "../state/modelSetup";
import { useServer } from "../state/server";
import { downloadWords, pullWords, shortTitle } from "./words";

/** Embedded models: downloaded ones can be used, others are downloaded once the user says so. */
export function DownloadChoice({ projectId, models }: { projectId: string; models: ModelsView }) {
  const defaults = models.embedded.filter((each) => each.default);
  const others = models.embedded.filter((each) => !each.default);
  return (
    <>
      <p className="view-quiet">
        No account, no server. It goes to <code>{models.models_folder}</code>, is checked, and runs on this machine. Small
        models are guided: Mulligan finds the files and asks narrow questions.
      </p>
      {models.engine.version === null && (
        <div className="setup-bad">
          <div>
            <p>Its engine, xllamacpp, is not installed. Install it, then check again:</p>
            <pre className="setup-command" tabIndex={0}>
              <code>{models.engine.install}</code>
            </pre>
          </div>
        </div>
      )}
      {defaults.map((model) => (
        <OneModel key={model.name} projectId={projectId} models={models} model={model} />
      ))}
      {others.length > 0 && (
        <details className="setup-others">
          <summary>Others</summary>
          {others.map((model) => (
            <OneModel key={model.name} projectId={projectId} models={models} model={model} />
          ))}
        </details>
      )}
    </>
  );
}

interface OneProps {
  projectId: string;
  models: ModelsView;
  model: EmbeddedView;
}

function OneModel({ projectId, models, model }: OneProps) {
  const { problem, underWay, attempt } = useAttempt();
  const pull = useServer((state) => state.pulls[model.name.replace(/^embedded:/, "")]);
  const running = model.downloading || pull?.state === "under_way";
  const inUse = models.chosen === model.name && model.present;
  const left = pullWords(pull);
  return (
    <div className="setup-model">
      {running ? (
        <Progress projectId={projectId} model={model} done={pull?.done ?? model.begun} words={pull?.words ?? ""} />
      ) : model.present ? (
        <div className="setup-row">
          <span>
            {shortTitle(model.title)} is here{inUse ? " and answers" : ""}.
          </span>
          {!inUse && (
            <Button
              disabled={underWay}
              onClick={() => {
                attempt(() => modelSetup.choose(projectId, { model: model.name, server: null, key: "" }));
              }}
            >
              Use it
            </Button>
          )}
        </div>
      ) : (
        <div className="setup-row">
          <Button
            icon="download"
            disabled={underWay || models.engine.version === null}
            onClick={() => {
              attempt(() => modelSetup.download(projectId, model.name));
            }}
          >
            {downloadWords(model)}
          </Button>
          <span className="view-quiet">takes {bytes(model.memory)} of memory while it answers</span>
        </div>
      )}
      {!running && left && <p role="status">{left}</p>}
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}

interface ProgressProps {
  projectId: string;
  model: EmbeddedView;
  done: number;
  words: string;
}

function Progress({ projectId, model, done, words }: ProgressProps) {
  const { problem, underWay, attempt } = useAttempt();
  const label = `Downloading ${shortTitle(model.title)}`;
  return (
    <div className="setup-progress">
      <progress aria-label={label} value={done} max={model.size} />
      <div className="setup-row">
        <span>
          {label}: {bytes(done)} of {bytes(model.size)}
        </span>
        <Button
          icon="close"
          disabled={underWay}
          onClick={() => {
            attempt(() => modelSetup.cancelDownload(projectId, model.name));
          }}
        >
          Cancel
        </Button>
      </div>
      {words && <p className="view-quiet">{words}</p>}
      {problem && <p role="alert">{problem}</p>}
    </div>
  );
}
