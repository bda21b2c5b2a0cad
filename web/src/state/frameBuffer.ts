import type { Envelope } from "../api/types";

/**
 * Buffers frames that arrive during a load. The answer includes the frames up to some number; later ones may
 * arrive over the socket before the answer does, and must not be lost.
 */
export class FrameBuffer {
  private readonly open = new Map<string, { buffered: Envelope[] }>();

  /** Start a load. An earlier one for the same key becomes invalid. */
  begin(key: string): object {
    const loading = { buffered: [] };
    this.open.set(key, loading);
    return loading;
  }

  add(key: string, envelope: Envelope): void {
    this.open.get(key)?.buffered.push(envelope);
  }

  /** The buffered frames; null if a later load made this one invalid. */
  end(key: string, loading: object): Envelope[] | null {
    const latest = this.open.get(key);
    if (latest !== loading) return null;
    this.open.delete(key);
    return latest.buffered;
  }

  /** Make all running loads invalid. */
  clear(): void {
    this.open.clear();
  }

  loading(key: string): boolean {
    return this.open.has(key);
  }
}
