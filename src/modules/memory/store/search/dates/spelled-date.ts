import { systemZone, type Zone } from "../../../../../base/index.ts";

export const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;
export const weekdays = [
  "Sunday",
  "Monday",
  "Tuesday",
  "Wednesday",
  "Thursday",
  "Friday",
  "Saturday",
] as const;

/** A time as people write its day: "8 May 2023 Monday". */
export function spelledDate(at: number, zone: Zone = systemZone): string {
  const date = new Date(zone.toWallTime(at));
  if (Number.isNaN(date.getTime())) return "";
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()} ${weekdays[date.getUTCDay()]}`;
}
