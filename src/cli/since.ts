import { CliError } from "./errors.ts";

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/**
 * A moment in Unix ms: a span before `now` (`90s`, `30m`, `2h`, `7d`, `1w`) or an ISO 8601 date, with or without a time.
 *
 * @throws {CliError} CLI_ARGUMENT
 */
export function parseSince(text: string, now: number): number {
  const span = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text);
  if (span !== null) return now - Number(span[1]) * (units[span[2] as string] as number);
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(moment)) return moment;
  throw new CliError(
    "CLI_ARGUMENT",
    `Cannot use --since ${text}: it is no moment; give a span such as 30m, 2h or 7d, or a date such as 2026-01-31T12:00`,
  );
}
