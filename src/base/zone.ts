/**
 * How clocks go somewhere. A _wall time_ is what they show, written as if they showed UTC: so days and weeks can be counted
 * without a thought of summer time.
 */
export interface Zone {
  /** @param at Unix ms */
  toWallTime(at: number): number;
  /** The moment, in Unix ms, at which clocks show this; of a time that they pass over, the one an hour later. */
  fromWallTime(wallTime: number): number;
}

/** The zone of this machine: the variable `TZ`, or what the system is set to. */
export const systemZone: Zone = zoneWith((at) => -new Date(at).getTimezoneOffset() * 60_000);

/** The zone of an IANA name. @throws {RangeError} for a name that is not known here */
export function readZone(name: string): Zone {
  const format = new Intl.DateTimeFormat("en", {
    timeZone: name,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return zoneWith((at) => {
    const shown = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, Number(value)]),
    );
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = shown;
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(at / 1000) * 1000;
  });
}

/** The day of a moment as people there date it: `2026-01-31`. */
export function formatDay(at: number, zone: Zone = systemZone): string {
  return new Date(zone.toWallTime(at)).toISOString().slice(0, 10);
}

/**
 * The moment that a text in ISO form says, in Unix ms: `2026-01-31T10:00Z`; without an offset in the zone of this machine, a
 * day alone being its midnight. NaN for any other text.
 */
export function parseTime(text: string): number {
  // The language reads a day alone as one of UTC, and a time without an offset as a local one.
  return Date.parse(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00` : text);
}

/** @param offsetAt by how many ms clocks are ahead of UTC at a moment */
function zoneWith(offsetAt: (at: number) => number): Zone {
  return {
    toWallTime: (at) => at + offsetAt(at),
    fromWallTime: (wallTime) => {
      // The offset is that of the moment looked for: near a change of clocks the first guess may be an hour off.
      const guess = wallTime - offsetAt(wallTime);
      return wallTime - offsetAt(guess);
    },
  };
}
