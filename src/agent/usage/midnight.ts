import { formatDay, type Zone } from "../../base/index.ts";

const dayMs = 86_400_000;

/** When the day of a time began. */
export function findMidnight(now: number, zone: Zone): number {
  return zone.fromWallTime(toWallMidnight(now, zone));
}

/** When the day after that of a time begins. */
export function findNextMidnight(now: number, zone: Zone): number {
  return zone.fromWallTime(toWallMidnight(now, zone) + dayMs);
}

function toWallMidnight(now: number, zone: Zone): number {
  return Date.parse(`${formatDay(now, zone)}T00:00:00Z`);
}
