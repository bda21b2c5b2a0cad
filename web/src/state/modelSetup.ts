/** What a person does to get a model: try a server, choose, download. */
import { api, call } from "../api/client";
import type { ServerTest } from "../api/types";
import { serverActions } from "./server";

export interface Wanted {
  model: string;
  /** Null leaves the server as it is set. */
  server: string | null;
  /** Empty: the one that is set, or none. */
  key: string;
}

export const modelSetup = {
  tryServer(projectId: string, address: string, key: string): Promise<ServerTest> {
    const params = { path: { project_id: projectId } };
    const body = { base_url: address, api_key: key || null };
    return call(api.POST("/api/projects/{project_id}/models/test", { params, body }));
  },

  /** Kept in the person's settings, for all projects. */
  async choose(projectId: string, { model, server, key }: Wanted): Promise<void> {
    const params = { path: { project_id: projectId } };
    const body = { model, base_url: server, api_key: key || null };
    const choices = await call(api.PUT("/api/projects/{project_id}/models/chosen", { params, body }));
    serverActions.learnChoices(projectId, choices);
  },

  /** To call this is to say yes to it. */
  async download(projectId: string, model: string): Promise<void> {
    const params = { path: { project_id: projectId } };
    await call(api.POST("/api/projects/{project_id}/models/download", { params, body: { model } }));
  },

  async cancelDownload(projectId: string, model: string): Promise<void> {
    const params = { path: { project_id: projectId }, query: { model } };
    await call(api.DELETE("/api/projects/{project_id}/models/download", { params }));
  },
};
