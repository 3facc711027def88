import type { TypedDatabase } from "../../../db/index.ts";
import type { RunRow, Tables } from "./tables.ts";

/** Whether a living process drives the run. Its lock goes with the process, long before the lease ends. */
export function isDriven(
  { lease, lease_until: until }: RunRow,
  { locks }: Pick<TypedDatabase<Tables>, "locks">,
  now: number,
): boolean {
  if ((until ?? 0) <= now) return false;
  if (lease === null || locks.has(lease) || !locks.take(lease)) return true;
  locks.release(lease, { remove: true });
  return false;
}
