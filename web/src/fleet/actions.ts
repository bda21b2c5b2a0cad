import { api, call } from "../api/client";
import type { NewJob, NewServer } from "../api/types";
import type { JobState } from "./words";

export interface JobFilter {
  state: JobState | null;
  label: string | null;
  /** The id of the last job on the previous page. */
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

  prune: (days: number) => call(api.POST("/api/fleet/prune", { body: { days } })),
  addServer: (body: NewServer) => call(api.PUT("/api/fleet/servers", { body })),
  removeServer: (url: string) => call(api.DELETE("/api/fleet/servers", { params: { query: { url } } })),

  fetch(projectId: string, jobId: string) {
    const params = { path: { project_id: projectId, job_id: jobId } };
    return call(api.POST("/api/projects/{project_id}/fleet/{job_id}/fetch", { params }));
  },

  fetchAsBranch(projectId: string, jobId: string, name: string) {
    const params = { path: { project_id: projectId, job_id: jobId } };
    return call(api.POST("/api/projects/{project_id}/fleet/{job_id}/branch", { params, body: { name } }));
  },
};

export function patchAddress(jobId: string): string {
  return `/api/fleet/jobs/${jobId}/patch`;
}
