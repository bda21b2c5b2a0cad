/** 412 → "412", 12345 → "12.3k", 1200000 → "1.2M". */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  if (count < 999_500) return `${trimmed(count / 1000)}k`;
  return `${trimmed(count / 1_000_000)}M`;
}

export function bytes(count: number): string {
  if (count < 1_000_000) return `${String(Math.max(1, Math.round(count / 1000)))} kB`;
  if (count < 999_500_000) return `${trimmed(count / 1_000_000)} MB`;
  return `${trimmed(count / 1_000_000_000)} GB`;
}

/** One decimal, unless it is 0. */
function trimmed(number: number): string {
  return number < 100 ? number.toFixed(1).replace(/\.0$/, "") : String(Math.round(number));
}
