import { formatDay, type Zone } from "../../base/index.ts";
import type { Usage, UsageKey, UsageTotal } from "../../modules/usage/index.ts";

/** Usage of models over some days, added up in several ways. */
export interface UsageReport {
  /** The first and the last day: `2026-01-31`. */
  readonly from: string;
  readonly to: string;
  readonly days: number;
  readonly total: UsageTotal;
  readonly byDay: readonly UsageTotal[];
  readonly byModel: readonly UsageTotal[];
  readonly byAgent: readonly UsageTotal[];
  readonly byPurpose: readonly UsageTotal[];
}

/** Days of which today is the last. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
  readonly days: number;
  /** Unix ms: the midnight with which the first day began. */
  readonly since: number;
}

const dayMs = 86_400_000;

/** Finds the range of the last days, today included. */
export function findDays(days: number, now: number, zone: Zone): DayRange {
  const to = formatDay(now, zone);
  const first = Date.parse(to) - (days - 1) * dayMs;
  return { from: new Date(first).toISOString().slice(0, 10), to, days, since: zone.fromWallTime(first) };
}

/** Adds up what models were asked for. */
export async function readUsage(
  usage: Pick<Usage, "totals">,
  { scope, zone, range: { since, ...range } }: ReportOptions,
): Promise<UsageReport> {
  const read = (by: readonly UsageKey[]) => usage.totals({ scope, since, zone, by });
  const [total] = (await read([])) as readonly [UsageTotal];
  return {
    ...range,
    total,
    byDay: await read(["day"]),
    byModel: sortByCost(await read(["model"])),
    byAgent: sortByCost(await read(["agent"])),
    byPurpose: sortByCost(await read(["purpose"])),
  };
}

/** The usage that a report is about: of which scope, and in which days. */
export interface ReportOptions {
  readonly scope: string;
  readonly zone: Zone;
  readonly range: DayRange;
}

/** Adds up what models were asked for by one key: days in their order, others by their cost. */
export async function readUsageBy(
  usage: Pick<Usage, "totals">,
  key: UsageKey,
  { scope, zone, range: { since } }: ReportOptions,
): Promise<readonly UsageTotal[]> {
  const totals = await usage.totals({ scope, since, zone, by: [key] });
  return key === "day" ? totals : sortByCost(totals);
}

/** Most expensive first; at equal cost, more tokens first. */
function sortByCost(totals: readonly UsageTotal[]): readonly UsageTotal[] {
  return totals.toSorted(
    (one, other) => (other.costMicros ?? 0) - (one.costMicros ?? 0) || countTokens(other) - countTokens(one),
  );
}

/** Input and output, of which all other counts are parts. */
export function countTokens({ inputTokens, outputTokens }: UsageTotal): number {
  return inputTokens + outputTokens;
}

/** A total as programs read it, with the value of each key it was grouped by: cost is null if it is not known. */
export type UsageTotalJson = Omit<UsageTotal, "keys" | "costMicros"> &
  UsageTotal["keys"] & {
    readonly totalTokens: number;
    readonly costMicros: number | null;
    readonly costUsd: number | null;
  };

/** Puts a total into the form for programs. */
export function toJson({ keys, costMicros, ...counts }: UsageTotal): UsageTotalJson {
  return {
    ...keys,
    ...counts,
    totalTokens: counts.inputTokens + counts.outputTokens,
    costMicros: costMicros ?? null,
    costUsd: costMicros === undefined ? null : costMicros / 1_000_000,
  };
}

/** A whole report as programs read it. */
export interface UsageReportJson extends Pick<UsageReport, "from" | "to" | "days"> {
  readonly total: UsageTotalJson;
  readonly byDay: readonly UsageTotalJson[];
  readonly byModel: readonly UsageTotalJson[];
  readonly byAgent: readonly UsageTotalJson[];
  readonly byPurpose: readonly UsageTotalJson[];
}

/** Puts a report into the form for programs. */
export function toReportJson({ from, to, days, total, ...ways }: UsageReport): UsageReportJson {
  const { byDay, byModel, byAgent, byPurpose } = ways;
  return {
    from,
    to,
    days,
    total: toJson(total),
    byDay: byDay.map(toJson),
    byModel: byModel.map(toJson),
    byAgent: byAgent.map(toJson),
    byPurpose: byPurpose.map(toJson),
  };
}

/** Rows of comma-separated values with a title, as RFC 4180 has them. */
export function toCsv(key: UsageKey, totals: readonly UsageTotal[]): string {
  const rows = totals.map((total) => [
    total.keys[key] ?? "",
    total.calls,
    total.failed,
    total.inputTokens,
    total.cacheReadTokens,
    total.cacheWriteTokens,
    total.outputTokens,
    total.reasoningTokens,
    countTokens(total),
    total.costMicros === undefined ? "" : (total.costMicros / 1_000_000).toFixed(6),
    total.unpriced,
    total.estimated,
  ]);
  return [[key, ...csvTitles], ...rows].map((cells) => `${cells.map(quoteCell).join(",")}\r\n`).join("");
}

const csvTitles = [
  "requests",
  "failed",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "reasoning_tokens",
  "total_tokens",
  "cost_usd",
  "unpriced",
  "estimated",
] as const;

/** A spreadsheet would take such a text for a formula; an apostrophe makes it text there. */
const formulaStart = /^[=+\-@\t\r]/;

function quoteCell(cell: string | number): string {
  const text = typeof cell === "string" && formulaStart.test(cell) ? `'${cell}` : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
