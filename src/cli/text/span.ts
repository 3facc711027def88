import { CliError } from "../errors.ts";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Past it, a moment that far ahead is no date any more. */
const longestMs = 999_999 * 604_800_000;

/** Reads a span as {@link parseSpan} does, of any length, zero included; undefined for what is no span. */
export function readSpan(text: string): number | undefined {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? [];
  const ms = Number(count) * (units[unit] ?? Number.NaN);
  return Number.isFinite(ms) ? Math.round(ms) : undefined;
}

/**
 * How long, in milliseconds: `90s`, `30m`, `2h`, `7d`, `1w`.
 *
 * @throws {CliError} CLI_ARGUMENT
 */
export function parseSpan(text: string): number {
  const ms = readSpan(text) ?? 0;
  if (ms > 0 && ms <= longestMs) return ms;
  throw new CliError(
    "CLI_ARGUMENT",
    `Cannot use "${text}": it is no span of time; give one such as 30m, 2h or 7d`,
  );
}

/** A span for people: `4 min`, `3 h`, `12 days`; the nearest whole of the largest unit that fits. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
