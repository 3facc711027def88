import { CliError } from "../errors.ts";
import { readSpan } from "../text/span.ts";

/**
 * A moment in Unix ms: a span before `now` (`90s`, `30m`, `2h`, `7d`, `1w`) or an ISO 8601 date, with or without a time.
 *
 * @throws {CliError} CLI_ARGUMENT
 */
export function parseSince(text: string, now: number, option = "--since"): number {
  const span = readSpan(text);
  if (span !== undefined) return now - span;
  const moment = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isFinite(moment)) return moment;
  throw new CliError(
    "CLI_ARGUMENT",
    `Cannot use ${option} ${text}: it is no moment; give a span such as 30m, 2h or 7d, or a date such as 2026-01-31T12:00`,
  );
}
