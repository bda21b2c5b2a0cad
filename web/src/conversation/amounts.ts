/** "0.4 s", "12 s", "3 min 5 s", "2 h 10 min". */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${String(whole)} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return joined(minutes, "min", whole % 60, "s");
  return joined(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

/** The same without decimals, for values that change every second. */
export function wholeSeconds(seconds: number): string {
  return seconds < 60 ? `${String(seconds)} s` : duration(seconds * 1000);
}

export function plural(count: number, word: string, words = `${word}s`): string {
  return `${grouped(count)} ${count === 1 ? word : words}`;
}

/** With thousands separators, the same in every browser. */
export function grouped(count: number): string {
  return count.toLocaleString("en");
}

function joined(large: number, unit: string, small: number, smaller: string): string {
  return small === 0 ? `${String(large)} ${unit}` : `${String(large)} ${unit} ${String(small)} ${smaller}`;
}
