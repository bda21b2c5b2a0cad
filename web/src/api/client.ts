import createClient from "openapi-fetch";
import { navigate } from "wouter/use-browser-location";

import type { SchemaAttachmentInfo, paths } from "./schema";

export const api = createClient<paths>();

/** A failed request. The message is for the user. */
export class ApiError extends Error {
  /** 0 if there was no answer. */
  readonly status: number;

  constructor(status: number, words: string) {
    super(words);
    this.name = "ApiError";
    this.status = status;
  }
}

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

/** The server's answer, or an `ApiError`. Redirects to the login page if the user is not signed in. */
export async function call<Data>(asked: Promise<Answer<Data>>): Promise<Data> {
  const { data, error, response } = await asked.catch(() => {
    throw new ApiError(0, "The server does not answer.");
  });
  if (response.ok) return data as Data;
  if (response.status === 401) navigate("/login");
  throw new ApiError(response.status, wordsOf(error, response.status));
}

/** Exchange the token for a cookie that scripts can't read. */
export async function logIn(token: string): Promise<void> {
  const response = await fetch("/api/login", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  }).catch(() => {
    throw new ApiError(0, "The server does not answer.");
  });
  if (response.ok) return;
  const body: unknown = await response.json().catch(() => null);
  throw new ApiError(response.status, wordsOf(body, response.status));
}

/** Upload an image for a message that is about to be sent. */
export async function postImage(projectId: string, name: string, image: Blob): Promise<SchemaAttachmentInfo> {
  const address = `/api/projects/${encodeURIComponent(projectId)}/images?name=${encodeURIComponent(name.slice(-200))}`;
  // Files that are not images are uploaded too: the server checks the content, and explains why it refuses.
  const headers = { "Content-Type": image.type.startsWith("image/") ? image.type : "image/png" };
  const response = await fetch(address, { method: "POST", headers, body: image }).catch(() => {
    throw new ApiError(0, "The server does not answer.");
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok) throw new ApiError(response.status, wordsOf(body, response.status));
  return body as SchemaAttachmentInfo;
}

/** The message for something that was thrown. */
export function wordsFor(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

function wordsOf(body: unknown, status: number): string {
  if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "string") {
    // The server's messages are also used after a colon; here they are a sentence.
    return body.error.charAt(0).toUpperCase() + body.error.slice(1);
  }
  return `The server answered with an error (${String(status)}).`;
}
