/** A moment in the time zone of this machine: `2026-03-01 17:05:09`. */
export function toLocalTime(at: number): string {
  return new Date(at).toLocaleString("sv-SE");
}
