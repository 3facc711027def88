/**
 * Makes ids that sort by time and are unique across processes: a prefix, the time, a random part drawn once
 * per process, and a counter. Short enough to type: `c_mfy3k2ab_x7k2p1`.
 */
export function createIdSource(now: () => number = Date.now): (prefix: string, at?: number) => string {
  const process = Math.floor(Math.random() * 36 ** 5)
    .toString(36)
    .padStart(5, "0");
  let count = 0;
  let stampedAt = Number.NaN;
  let stamp = "";
  return (prefix, at = now()) => {
    if (at !== stampedAt) {
      stampedAt = at;
      stamp = `_${at.toString(36)}_${process}`;
    }
    return prefix + stamp + (count++).toString(36);
  };
}
