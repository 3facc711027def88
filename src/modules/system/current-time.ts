import { z } from "zod";
import type { Clock } from "../../base/index.ts";
import { defineTool, type Tool } from "../../kernel/index.ts";

const parameters = z.strictObject({
  timezone: z
    .string()
    .refine(
      isTimeZone,
      'not a time zone known here; use an IANA name such as "Europe/Berlin", "Asia/Tokyo" or "UTC"',
    )
    .optional()
    .describe('IANA time zone, for instance "Europe/Berlin"; by default that of this machine'),
});

interface CurrentTime {
  /** Unix time in milliseconds. */
  readonly timestamp: number;
  /** The time in UTC. */
  readonly iso: string;
  readonly timezone: string;
  /** The time in the time zone, with its offset. */
  readonly local: string;
  readonly formatted: string;
}

export function currentTimeTool(clock: Clock): Tool {
  return defineTool({
    name: "current_time",
    title: "Current time",
    description: "Get the current date and time, in UTC and in a time zone.",
    category: "system",
    parameters,
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    execute: ({ timezone }) => tellTime(clock.now(), timezone),
  });
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function tellTime(timestamp: number, timeZone: string | undefined): CurrentTime {
  const date = new Date(timestamp);
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, dateStyle: "full", timeStyle: "long" });
  const { timeZone: timezone } = format.resolvedOptions();
  return {
    timestamp,
    iso: date.toISOString(),
    timezone,
    local: toLocalIso(date, timezone),
    formatted: format.format(date),
  };
}

function toLocalIso(date: Date, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
    timeZoneName: "longOffset",
  });
  const part = Object.fromEntries(format.formatToParts(date).map(({ type, value }) => [type, value]));
  const offset = part["timeZoneName"]?.replace("GMT", "") || "+00:00";
  return `${part["year"]}-${part["month"]}-${part["day"]}T${part["hour"]}:${part["minute"]}:${part["second"]}${offset}`;
}
