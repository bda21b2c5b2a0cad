/** Images of a message that is being written. They are already uploaded; the tab remembers which. */
import { useSyncExternalStore } from "react";

import { postImage } from "../api/client";
import type { AttachmentInfo } from "../api/types";
import { fitting } from "../imageSizes";

const listeners = new Set<() => void>();
const NONE: readonly AttachmentInfo[] = [];
const known = new Map<string, readonly AttachmentInfo[]>();

const storageKey = (draftKey: string) => `images:${draftKey}`;

export function readImages(draftKey: string): readonly AttachmentInfo[] {
  const before = known.get(draftKey);
  if (before) return before;
  const kept = sessionStorage.getItem(storageKey(draftKey));
  const images = kept ? (JSON.parse(kept) as AttachmentInfo[]) : NONE;
  known.set(draftKey, images);
  return images;
}

export function writeImages(draftKey: string, images: readonly AttachmentInfo[]): void {
  known.set(draftKey, images);
  if (images.length > 0) sessionStorage.setItem(storageKey(draftKey), JSON.stringify(images));
  else sessionStorage.removeItem(storageKey(draftKey));
  listeners.forEach((listener) => {
    listener();
  });
}

export function useImages(draftKey: string): readonly AttachmentInfo[] {
  return useSyncExternalStore(listen, () => readImages(draftKey));
}

/** Upload files and add them to the draft. Throws at the first that is not an image. */
export async function addImages(projectId: string, draftKey: string, files: readonly File[]): Promise<void> {
  for (const file of files) {
    const made = await postImage(projectId, nameOf(file, readImages(draftKey)), await fitting(file));
    writeImages(draftKey, [...readImages(draftKey).filter((each) => each.image?.digest !== made.image?.digest), made]);
  }
}

/** The images as an API request names them. */
export function given(images: readonly AttachmentInfo[]): { digest: string; name: string }[] {
  return images.flatMap(({ name, image }) => (image ? [{ digest: image.digest, name }] : []));
}

export function imageAddress(projectId: string, digest: string): string {
  return `/api/projects/${encodeURIComponent(projectId)}/images/${digest}`;
}

/** Browsers call everything that is pasted `image.png`. */
function nameOf(file: File, before: readonly AttachmentInfo[]): string {
  const name = file.name || "image.png";
  if (!before.some((each) => each.name === name)) return name;
  return `${String(before.length + 1)}-${name}`;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
