const firstMs = 1000;
const longestMs = 60_000;

/** How long to wait before the next try after so many that failed: twice as long each time, and spread by half. */
export function backoffMs(failures: number, random: () => number): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.min(Math.max(failures - 1, 0), 10));
  return Math.round(full * (0.5 + random() * 0.5));
}
