/** Setting up a model: test a server, choose a model, download one. */
import { api, call } from "../api/client";
import type { ServerTest } from "../api/types";
import { serverActions } from "./server";

export interface Wanted {
  model: string;
  /** Null keeps the current server. */
  server: string | null;
  /** Empty: the current key, or none. */
  key: string;
}

export const modelSetup = {
  tryServer(projectId: string, address: string, key: string): Promise<ServerTest> {
    const params = { path: { project_id: projectId } };
    const body = { base_url: address, api_key: key || null };
    return call(api.POST("/api/projects/{project_id}/models/test", { params, body }));
  },

  /** Saved in the user's settings, for all projects. */
  async choose(projectId: string, { model, server, key }: Wanted): Promise<void> {
    const params = { path: { project_id: projectId } };
    const body = { model, base_url: server, api_key: key || null };
    const choices = await call(api.PUT("/api/projects/{project_id}/models/chosen", { params, body }));
    serverActions.setChoices(projectId, choices);
  },

  /** Calling this counts as the user's consent. */
  async download(projectId: string, model: string): Promise<void> {
    const params = { path: { project_id: projectId } };
    await call(api.POST("/api/projects/{project_id}/models/download", { params, body: { model } }));
  },

  async cancelDownload(projectId: string, model: string): Promise<void> {
    const params = { path: { project_id: projectId }, query: { model } };
    await call(api.DELETE("/api/projects/{project_id}/models/download", { params }));
  },
};
