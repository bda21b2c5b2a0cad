import { useState } from "react";
import { useLocation } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";

import { api, call } from "../api/client";
import type { SchemaCommandsView as CommandsView } from "../api/schema";
import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { routes } from "../routes";
import { useLoaded } from "../state/loaded";
import { runActions } from "../state/runs";
import { ModelField } from "./ModelField";
import { ProfileField } from "./ProfileField";
import { type ProfileName, commandsIn } from "./words";

const TIME_LIMIT = 300;

/** The form for a new run: the goal, and the commands that judge it. */
export function NewRunForm({ projectId }: { projectId: string }) {
  const given = givenIn(useHistoryState<unknown>());
  const [goal, setGoal] = useState(given.goal);
  const [profile, setProfile] = useState<ProfileName>("fast");
  const [verify, setVerify] = useState(given.verify);
  const [seconds, setSeconds] = useState(TIME_LIMIT);
  const [model, setModel] = useState("");
  const [, navigate] = useLocation();
  const { problem, underWay, attempt } = useAttempt();
  const known = useLoaded(projectId, () => loadCommands(projectId));
  const start = async () => {
    const wish = { goal: goal.trim(), profile, verify: commandsIn(verify), time_limit: seconds, model: model || null };
    navigate(routes.run(projectId, await runActions.start(projectId, wish)));
  };
  return (
    <form
      className="new-run"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(start);
      }}
    >
      <label htmlFor="run-goal">What should work afterwards?</label>
      <textarea
        id="run-goal"
        className="field"
        rows={3}
        required
        maxLength={20_000}
        value={goal}
        placeholder="The tests for totals pass again."
        onChange={(event) => {
          setGoal(event.target.value);
        }}
      />
      {known.problem && <p className="view-problem">{known.problem}</p>}
      {known.data && <Commands commands={known.data.commands} />}
      <details className="new-run-more" open={given.verify !== ""}>
        <summary>Profile, commands, model</summary>
        <div className="new-run-fields">
          {known.data && (
            <ProfileField profiles={known.data.limits.profiles} chosen={profile} onChoose={setProfile} />
          )}
          <label htmlFor="run-verify">Other commands, one per line</label>
          <textarea
            id="run-verify"
            className="field new-run-code"
            rows={2}
            value={verify}
            aria-describedby="run-verify-hint"
            onChange={(event) => {
              setVerify(event.target.value);
            }}
          />
          <p id="run-verify-hint" className="view-quiet">
            They judge the run instead of the detected ones.
          </p>
          <label htmlFor="run-seconds">Timeout per command (s)</label>
          <input
            id="run-seconds"
            className="field"
            type="number"
            min={1}
            max={86_400}
            required
            value={seconds}
            onChange={(event) => {
              setSeconds(event.target.valueAsNumber || 0);
            }}
          />
          <ModelField projectId={projectId} chosen={model} onChoose={setModel} />
        </div>
      </details>
      <div className="new-run-buttons">
        <Button submit look="primary" icon="play" disabled={underWay || !goal.trim()}>
          Start the run
        </Button>
        <span className="view-quiet">
          It works in its own work tree. Your files change only if you apply the result.
        </span>
      </div>
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

/** The goal and command that a failed run passes on to the next. */
function givenIn(state: unknown): { goal: string; verify: string } {
  const given = typeof state === "object" && state !== null ? state : {};
  const text = (name: "goal" | "verify") => {
    const value = (given as Record<string, unknown>)[name];
    return typeof value === "string" ? value : "";
  };
  return { goal: text("goal"), verify: text("verify") };
}

/** The commands that judge the run by default. */
function Commands({ commands }: Pick<CommandsView, "commands">) {
  if (commands.length === 0) {
    return (
      <p className="view-quiet">
        No command found that tests this project. Name one below, or the run can’t be verified.
      </p>
    );
  }
  return (
    <div className="new-run-found">
      <p>Judged by</p>
      <ul>
        {commands.map(({ command, why }) => (
          <li key={command}>
            <code>{command}</code> <span className="view-quiet">({why})</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function loadCommands(projectId: string): Promise<CommandsView> {
  return call(api.GET("/api/projects/{project_id}/commands", { params: { path: { project_id: projectId } } }));
}
