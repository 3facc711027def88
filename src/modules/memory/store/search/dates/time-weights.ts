import { systemZone, type Zone } from "../../../../../base/index.ts";
import { type CalendarDate, datesIn, type TimePhrase } from "./time-phrase.ts";

/** Weight of an entry of the query's time beside that of any other entry. */
const otherTimes = 1.2;
/** Number of the first entries that are searched for dates. */
export const mostDated = 40;

/** What is known of an entry's times. */
export interface Dated {
  /** Unix ms: when it was said. */
  readonly at: number;
  readonly text: string;
}

/**
 * Weighs what was found by the time that the query speaks of: an entry is of that time if it was said then, or tells a
 * date of then. The others are not left out: a memory of last year may say what ends in December.
 */
export function weighTimes<Item extends { readonly score: number }>(
  found: readonly Item[],
  isOfThen: (item: Item) => boolean,
): readonly Item[] {
  const then = new Set(found.filter(isOfThen));
  if (then.size === 0) return found;
  return found.map((item) => (then.has(item) ? item : { ...item, score: item.score / otherTimes }));
}

/** Whether an entry was said at the time, or tells a date of it. */
export function isOfTime({ at, text }: Dated, time: TimePhrase, zone: Zone = systemZone): boolean {
  return (at >= time.since && at < time.until) || datesIn(text).some((told) => isThen(told, at, time, zone));
}

/** Whether the entry was said at a time counted from now, such as "yesterday": that alone is a reason to show it. */
export function isReckoned(at: number | undefined, time: TimePhrase | undefined): boolean {
  if (at === undefined || time === undefined || time.date !== undefined) return false;
  return at >= time.since && at < time.until;
}

function isThen(
  { year, month, day }: CalendarDate,
  at: number,
  { since, until, date }: TimePhrase,
  zone: Zone,
): boolean {
  if (date !== undefined) {
    const isSame = (one: number | undefined, other: number | undefined) =>
      one === undefined || other === undefined || one === other;
    return month === date.month && isSame(day, date.day) && isSame(year, date.year);
  }
  const said = new Date(zone.toWallTime(at)).getUTCFullYear();
  // A date without a year is mostly one that is to come.
  const years = year === undefined ? [said, said + 1] : [year];
  return years.some((one) => {
    const start = zone.fromWallTime(Date.UTC(one, month, day ?? 1));
    return start >= since && start < until;
  });
}
