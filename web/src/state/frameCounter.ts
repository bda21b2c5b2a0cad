/** How often an outdated answer is requested again. The next frame causes another request anyway. */
const TRIES = 3;

/** Counts frames about a topic, so that an answer older than one of them does not overwrite it. */
export class FrameCounter {
  private readonly counts = new Map<string, number>();

  add(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** The answer to a request. If a frame arrives meanwhile, it is requested again. */
  async newest<T>(key: string, ask: () => Promise<T>): Promise<T> {
    let answer: T;
    let tries = 0;
    let before: number | undefined;
    do {
      before = this.counts.get(key);
      answer = await ask();
      tries += 1;
    } while (this.counts.get(key) !== before && tries < TRIES);
    return answer;
  }
}
