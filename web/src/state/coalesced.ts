/** Reloads something on request: once for many requests in a short time, and never twice at the same time. */
export class Coalesced {
  private readonly load: (key: string) => Promise<void>;
  private readonly wait: number;
  private readonly waiting = new Set<string>();
  private readonly loading = new Map<string, { again: boolean }>();

  constructor(load: (key: string) => Promise<void>, wait: number) {
    this.load = load;
    this.wait = wait;
  }

  ask(key: string): void {
    const under = this.loading.get(key);
    if (under) under.again = true;
    else if (!this.waiting.has(key)) {
      this.waiting.add(key);
      setTimeout(() => void this.run(key), this.wait);
    }
  }

  private async run(key: string): Promise<void> {
    this.waiting.delete(key);
    const loading = { again: false };
    this.loading.set(key, loading);
    // If a load fails, the shown list stays until the next one.
    await this.load(key).catch(() => undefined);
    this.loading.delete(key);
    if (loading.again) this.ask(key);
  }
}
