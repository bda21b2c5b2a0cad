/** Texts about a fleet. */
import type { FleetView, JobView } from "../api/types";
import { duration, grouped, plural } from "../conversation/amounts";
import type { IconName } from "../icons";
import { capitalized, humanize, typographic, words } from "../state/words";

export type JobState = JobView["state"];

export const STATES: readonly JobState[] = ["queued", "running", "verified", "unverified", "failed", "cancelled"];

export const STATE_ICONS: Readonly<Record<JobState, IconName>> = {
  queued: "clock",
  running: "run",
  verified: "check",
  unverified: "question",
  failed: "close",
  cancelled: "ban",
};

export function countOf({ counts }: Pick<FleetView, "counts">, state: JobState): number {
  return counts.filter((each) => each.state === state).reduce((sum, { jobs }) => sum + jobs, 0);
}

/** Labels of existing jobs; an empty one for jobs without a label. */
export function labelsOf({ counts }: Pick<FleetView, "counts">): string[] {
  return [...new Set(counts.map(({ label }) => label))];
}

/** Jobs per hour, and how long the rest takes at that pace. */
export function paceWords(fleet: Pick<FleetView, "ended_lately" | "jobs_per_hour" | "seconds_left">): string {
  if (fleet.ended_lately === 0) return "No job has ended recently.";
  const left = fleet.seconds_left ? `, ${duration(fleet.seconds_left * 1000)} left` : "";
  return `${grouped(Math.round(fleet.jobs_per_hour))} jobs an hour${left}.`;
}

/** Why a job ended, then its own explanation; for a waiting job, what it waits for. */
export function whyWords({ reason, explanation, note }: Pick<JobView, "reason" | "explanation" | "note">): string[] {
  const { run_reasons: ofRuns, job_reasons: ofJobs } = words();
  const general = reason && sentence(ofRuns[reason] ?? ofJobs[reason] ?? humanize(reason));
  return [general, explanation && sentence(explanation), note && sentence(note)].filter(
    (text, index, all) => text !== "" && !all.slice(0, index).includes(text),
  );
}

/** How long it took, or has been running; empty before it started. */
export function elapsedWords({ started_at: from, ended_at: to }: JobView, now: number): string {
  return from == null ? "" : duration(((to ?? Math.max(now, from)) - from) * 1000);
}

/** Facts about a job, apart from its goal. */
export function jobFacts({ repository, ref, labels, model, worker, tries, max_tries: most }: JobView): string {
  const tried = tries > 1 ? `try ${String(tries)} of ${String(most)}` : "";
  return [`${repository}${ref && ` at ${ref}`}`, labels.join(", "), model, worker, tried].filter(Boolean).join(" · ");
}

export function slotWords(busy: number, slots: number): string {
  return `${String(busy)} of ${plural(slots, "slot")} busy`;
}

function sentence(text: string): string {
  const words = typographic(capitalized(text.trim()));
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}
