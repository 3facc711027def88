import { isRecord, type Json } from "../../../base/index.ts";

/** Whether the instructions of an epoch show something from outside: `seen` lists the memories in them, with their trust. */
export function showsUntrusted(prefix: Json): boolean {
  const seen = isRecord(prefix) ? prefix["seen"] : undefined;
  return Array.isArray(seen) && seen.some((one) => isRecord(one) && one["trust"] === "untrusted");
}
