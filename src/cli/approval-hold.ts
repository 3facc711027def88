import type { Remember } from "../kernel/index.ts";
import { formatSpan } from "./span.ts";

/** A yes that is remembered, from the call that takes it on; where one waits, from now on. */
export interface Held {
  readonly remember: Remember;
  /** Unix ms. */
  readonly now: number;
  /** What is remembered ends if nothing uses it for so long. */
  readonly decayMs: number;
}

/** When the remembered answer ends, for programs. `holdsUntil` is Unix ms; absent: it has no date. */
export function holdOf({ remember: { term }, now, decayMs }: Held): {
  readonly holdsUntil?: number;
  readonly endsUnusedAfterMs: number;
} {
  return { ...(typeof term === "number" && { holdsUntil: now + term }), endsUnusedAfterMs: decayMs };
}

/** `until 2026-11-22 01:44:10`, `until its session ends`, each with the earlier end of what nothing uses. */
export function describeHold({ remember: { term }, now, decayMs }: Held): string {
  const unused = `unused for ${formatSpan(decayMs)}`;
  if (term === "always") return `until it is revoked or ${unused}`;
  if (term === "session") return `until its session ends, or it is ${unused}`;
  const end = `until ${new Date(now + term).toLocaleString("sv-SE")}`;
  return term > decayMs ? `${end}, or until it is ${unused}` : end;
}
