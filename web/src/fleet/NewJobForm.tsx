import { useState } from "react";
import { useLocation } from "wouter";

import { Button } from "../components/Button";
import { useAttempt } from "../conversation/useAttempt";
import { routes } from "../routes";
import { commandsIn } from "../runs/words";
import { useProject } from "../state/server";
import { fleetActions } from "./actions";
import { Field } from "./Field";

/** A repository, a goal, and the commands that verify it. */
export function NewJobForm({ projectId }: { projectId: string }) {
  const { project } = useProject(projectId);
  const [job, setJob] = useState({ repository: project?.path ?? "", ref: "", goal: "", verify: "", model: "", label: "" });
  const [priority, setPriority] = useState(0);
  const [, navigate] = useLocation();
  const { problem, underWay, attempt } = useAttempt();
  const field = (name: keyof typeof job) => ({
    value: job[name],
    onChange: (event: { target: { value: string } }) => {
      setJob({ ...job, [name]: event.target.value });
    },
  });
  const submit = async () => {
    const { repository, ref, goal, verify, model, label } = job;
    const { id } = await fleetActions.submit({
      repository: repository.trim(),
      ref: ref.trim(),
      goal: goal.trim(),
      verify: commandsIn(verify),
      model: model.trim() || null,
      labels: label.trim() ? [label.trim()] : [],
      priority,
    });
    navigate(routes.job(projectId, id));
  };
  return (
    <form
      className="new-run"
      onSubmit={(event) => {
        event.preventDefault();
        attempt(submit);
      }}
    >
      <Field label="Repository" hint="A git URL, or a path on the workers’ machines." required {...field("repository")} />
      <Field label="Branch, tag or commit" hint="By default, HEAD." {...field("ref")} />
      <label htmlFor="job-goal">What should work afterwards?</label>
      <textarea id="job-goal" className="field" rows={3} required maxLength={20_000} {...field("goal")} />
      <label htmlFor="job-verify">Commands that judge it, one per line</label>
      <textarea id="job-verify" className="field new-run-code" rows={2} {...field("verify")} />
      <Field label="Model" hint="By default, any that a worker has." {...field("model")} />
      <Field label="Label" hint="Labels take turns." maxLength={60} {...field("label")} />
      <Field
        label="Priority"
        hint="−9 to 9: higher numbers start first, whatever their label."
        type="number"
        min={-9}
        max={9}
        required
        value={priority}
        onChange={(event) => {
          setPriority(event.target.valueAsNumber || 0);
        }}
      />
      <div className="new-run-buttons">
        <Button submit look="primary" icon="play" disabled={underWay || !job.goal.trim() || !job.repository.trim()}>
          Submit
        </Button>
        <span className="view-quiet">A worker takes it when its turn comes. Nothing is written to the repository.</span>
      </div>
      {problem && (
        <p className="view-problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
