const firstMs = 1_000;
const longestMs = 60_000;
/** The spread of delays, so that jobs that failed together don't all come back at once. */
const spread = 0.25;

/** How long to wait after so many attempts: 1 s, doubled each time up to 60 s, a quarter more or less by `random` (0 to 1). */
export function retryDelayMs(attempts: number, random: number): number {
  const middle = Math.min(longestMs, firstMs * 2 ** (attempts - 1));
  return Math.round(middle * (1 - spread + 2 * spread * random));
}
