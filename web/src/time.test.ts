import { expect, it } from "vitest";

import { ago } from "./time";

const now = Date.UTC(2026, 5, 15, 12) / 1000;

it.each([
  ["now", 0],
  ["now", 59],
  ["now", -30],
  ["1 min", 60],
  ["59 min", 3599],
  ["1 h", 3600],
  ["23 h", 86_399],
  ["1 d", 86_400],
  ["6 d", 7 * 86_400 - 1],
  ["Jun 5", 10 * 86_400],
  ["Jun 15, 2025", 365 * 86_400],
])("says %s of something %i seconds ago", (words, seconds) => {
  expect(ago(now - seconds, now)).toBe(words);
});
