import { type Clock, systemClock } from "../../base/index.ts";
import type { ModelError } from "../../model/index.ts";
import { formatWait, readWaits } from "../../modules/sessions/index.ts";
import type { RunEnd } from "./events.ts";
import type { Journal } from "./journal.ts";

type Parked = Extract<RunEnd, { state: "parked" }>;

/** Errors of a model that can be asked again later. */
const passingCodes: ReadonlySet<string> = new Set(["MODEL_RATE_LIMIT", "MODEL_QUOTA", "MODEL_OVERLOADED"]);

/** The least wait doubles each time in a row that no model can be asked. */
const firstWaitMs = 60_000;
const longestWaitMs = 21_600_000;
/** A run that has waited this long in a row, and still gets no answer, fails. */
const mostWaitMs = 604_800_000;

/** The code of a call whose result comes once what it waits for has happened: `details.waitFor` says what that is. */
export const waitingCode = "TASK_WAITING";

/** Parks a run whose open calls all wait: for answers, or for tasks. */
export function parkForAnswers(waitFor: readonly string[]): Parked {
  const waits = waitFor.flatMap((text) => readWaits(text));
  const ids = waits.flatMap((wait) => ("id" in wait ? [wait.id] : []));
  if (!waits.some((wait) => wait.for === "approval")) {
    const text = `It waits for ${ids.join(" and ")}.`;
    return { state: "parked", why: "task", waitFor: waitFor.join(" "), text };
  }
  const text = `It waits for ${ids.length === 1 ? "an answer" : "answers"} to ${ids.join(" and ")}.`;
  return { state: "parked", why: "approval", waitFor: waitFor.join(" "), text };
}

/**
 * Parks a run until its model can be asked again. Undefined if the provider does not say when, the run may not be
 * parked, or it has waited too long already.
 */
export async function parkForModel(
  {
    journal,
    parks,
    clock = systemClock,
  }: { readonly journal: Journal; readonly parks?: "time" | "all"; readonly clock?: Clock },
  { code, message, retryAfterMs }: ModelError,
): Promise<Parked | undefined> {
  if (parks === undefined || retryAfterMs === undefined || !passingCodes.has(code)) return undefined;
  const now = clock.now();
  const before = listWaits(journal);
  if (before[0] !== undefined && now - before[0].at > mostWaitMs) return undefined;
  const leastMs = before.length === 0 ? 0 : Math.min(firstWaitMs * 2 ** (before.length - 1), longestWaitMs);
  const at = now + Math.max(retryAfterMs, leastMs);
  const waitFor = formatWait({ for: "time", at });
  await journal.write({ entries: [{ kind: "parked", waitFor, tokens: 0 }] });
  const text = `It waits until ${new Date(at).toISOString()}: ${message}`;
  return { state: "parked", why: "rate-limit", waitFor, text };
}

/** The waits for a model since anything else happened in the run. */
function listWaits({ entries, runId }: Journal): readonly { readonly at: number }[] {
  const own = entries.filter((entry) => entry.runId === runId);
  const last = own.findLastIndex((entry) => entry.kind !== "parked" || entry.callId !== undefined);
  return own.slice(last + 1);
}
