/** How often an answer that was overtaken by a frame is asked for again. The next frame leads to another anyway. */
const TRIES = 3;

/** Counts frames about a thing, so that an answer that is older than one of them does not overwrite it. */
export class Heard {
  private readonly counts = new Map<string, number>();

  add(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }

  /** The answer to a question. If a frame comes meanwhile, it is asked again. */
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
