/** Formats a duration: `4 ms`, `1.2 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatMs(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${Number((ms / 1000).toFixed(ms < 10_000 ? 1 : 0))} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return joinUnits(Math.floor(seconds / 60), "min", seconds % 60, "s");
  if (seconds < 86_400)
    return joinUnits(Math.floor(seconds / 3600), "h", Math.floor((seconds % 3600) / 60), "min");
  return joinUnits(Math.floor(seconds / 86_400), "d", Math.floor((seconds % 86_400) / 3600), "h");
}

function joinUnits(first: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${first} ${unit}` : `${first} ${unit} ${rest} ${restUnit}`;
}

/** Formats micro-USD: `$0.42`, `$0.0031`. */
export function formatMicros(micros: number): string {
  const dollars = micros / 1_000_000;
  if (dollars === 0 || dollars >= 0.01) return `$${dollars.toFixed(2)}`;
  return `$${dollars.toPrecision(2)}`;
}

export function formatCount(count: number): string {
  return count.toLocaleString("en");
}

/** Formats a count with its noun: `1 call`, `3 calls`. */
export function formatCounted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
