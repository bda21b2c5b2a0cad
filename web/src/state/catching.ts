import type { Envelope } from "../api/types";

/**
 * Frames that come while something is being loaded. The answer holds the frames up to some number; those after it may
 * have come over the socket before the answer did, and must not be lost.
 */
export class Catching {
  private readonly open = new Map<string, { caught: Envelope[] }>();

  /** Loading begins. If it began before for the same key, that earlier answer is void. */
  begin(key: string): object {
    const loading = { caught: [] };
    this.open.set(key, loading);
    return loading;
  }

  add(key: string, envelope: Envelope): void {
    this.open.get(key)?.caught.push(envelope);
  }

  /** What was caught; null if the answer is void because a later loading took its place. */
  end(key: string, loading: object): Envelope[] | null {
    const latest = this.open.get(key);
    if (latest !== loading) return null;
    this.open.delete(key);
    return latest.caught;
  }

  /** Every answer that is under way is void. */
  clear(): void {
    this.open.clear();
  }

  loading(key: string): boolean {
    return this.open.has(key);
  }
}
