import { readlinkSync } from "node:fs";

/** Names of the IANA database, such as `Europe/Berlin` and `UTC`; not rules of POSIX such as `CET-1CEST`. */
const zoneName = /^[A-Z][A-Za-z_]+(?:\/[\w+-]+)*$/;

/**
 * The IANA name of the machine's time zone; undefined if neither `TZ` nor the link `/etc/localtime` tells it, as on
 * Windows. `Intl` always knows it, but its first use takes 10 ms and more.
 */
export function readTimeZone({
  variable = process.env["TZ"],
  link = "/etc/localtime",
}: TimeZoneSources = {}): string | undefined {
  const name = variable?.replace(/^:/, "") ?? readTarget(link);
  return name !== undefined && zoneName.test(name) ? name : undefined;
}

/** What tells the machine's time zone. */
export interface TimeZoneSources {
  /** @default the environment variable `TZ` */
  readonly variable?: string | undefined;
  /** @default /etc/localtime */
  readonly link?: string;
}

/** The part after `zoneinfo/` of what the link leads to. */
function readTarget(link: string): string | undefined {
  try {
    return /\/zoneinfo\/(?:posix\/|right\/)?(.+)$/.exec(readlinkSync(link))?.[1];
  } catch {
    return undefined;
  }
}
