import { api, call } from "../api/client";
import type { NewJob } from "../api/types";
import type { JobState } from "./words";

export interface JobFilter {
  state: JobState | null;
  label: string | null;
  /** The id of the last job on the page before. */
  after: string | null;
}

const at = (jobId: string) => ({ params: { path: { job_id: jobId } } });

export const fleetActions = {
  look: () => call(api.GET("/api/fleet")),
  jobs: (query: JobFilter) => call(api.GET("/api/fleet/jobs", { params: { query } })),
  job: (jobId: string) => call(api.GET("/api/fleet/jobs/{job_id}", at(jobId))),
  submit: (body: NewJob) => call(api.POST("/api/fleet/jobs", { body })),
  cancel: (jobId: string) => call(api.POST("/api/fleet/jobs/{job_id}/cancel", at(jobId))),
  retry: (jobId: string) => call(api.POST("/api/fleet/jobs/{job_id}/retry", at(jobId))),

  log(jobId: string, after: number) {
    const params = { path: { job_id: jobId }, query: { after } };
    return call(api.GET("/api/fleet/jobs/{job_id}/log", { params }));
  },

  fetch(projectId: string, jobId: string) {
    const params = { path: { project_id: projectId, job_id: jobId } };
    return call(api.POST("/api/projects/{project_id}/fleet/{job_id}/fetch", { params }));
  },
};

export function patchAddress(jobId: string): string {
  return `/api/fleet/jobs/${jobId}/patch`;
}
