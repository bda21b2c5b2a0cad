/** Times for people, from the server's seconds since 1970. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Short, for lists: "now", "5 min", "3 h", "2 d", then the date. */
export function ago(then: number, now: number): string {
  const passed = now - then;
  if (passed < MINUTE) return "now";
  if (passed < HOUR) return `${String(Math.floor(passed / MINUTE))} min`;
  if (passed < DAY) return `${String(Math.floor(passed / HOUR))} h`;
  if (passed < 7 * DAY) return `${String(Math.floor(passed / DAY))} d`;
  const date = new Date(then * 1000);
  const thisYear = date.getFullYear() === new Date(now * 1000).getFullYear();
  return date.toLocaleDateString("en", { day: "numeric", month: "short", ...(thisYear ? {} : { year: "numeric" }) });
}

/** In full, for a tooltip. */
export function fullTime(then: number): string {
  return new Date(then * 1000).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
