import type { Remember } from "../../kernel/index.ts";
import { toLocalTime } from "../text/local-time.ts";
import { formatSpan } from "../text/span.ts";

/** A yes that is remembered, from the call that takes it on; where one waits, from now on. */
export interface Held {
  readonly remember: Remember;
  /** Unix ms. */
  readonly now: number;
  /** What is remembered ends if nothing uses it for so long; the yes to a project's own programs does not. */
  readonly decayMs: number;
}

/** When the remembered answer ends, for programs. `holdsUntil` is Unix ms; absent: it has no date. */
export function formatHold({ remember: { offer, term }, now, decayMs }: Held): {
  readonly holdsUntil?: number;
  readonly endsUnusedAfterMs?: number;
} {
  return {
    ...(typeof term === "number" && { holdsUntil: now + term }),
    ...(offer !== "project" && { endsUnusedAfterMs: decayMs }),
  };
}

/** `until 2026-11-22 01:44:10`, `until its session ends`, each with the earlier end of what nothing uses, where that ends it. */
export function describeHold({ remember: { offer, term }, now, decayMs }: Held): string {
  const lasts = offer === "project";
  const unused = `unused for ${formatSpan(decayMs)}`;
  if (term === "always") return lasts ? "until it is revoked" : `until it is revoked or ${unused}`;
  if (term === "session") return `until its session ends${lasts ? "" : `, or it is ${unused}`}`;
  const end = `until ${toLocalTime(now + term)}`;
  return term > decayMs && !lasts ? `${end}, or until it is ${unused}` : end;
}
