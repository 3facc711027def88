import type { Clock } from "../../base/index.ts";
import type { Trust } from "../../kernel/index.ts";
import type { Entry, NewEntry, ResultEntry } from "../../modules/sessions/index.ts";
import type { AskedCall } from "./read-run.ts";

/** What the record says about the call with an id. */
export type PastCall =
  /** A living process is making it now. */
  | { readonly state: "running" }
  /** Its process died, so its outcome is unknown. */
  | { readonly state: "unknown"; readonly isRepeatable: boolean; readonly startedAt: number }
  | { readonly state: "ended"; readonly outcome: PastOutcome };

/** The outcome of a call: the whole, or as much as is still known. */
export interface PastOutcome {
  readonly text: string;
  readonly failed: boolean;
  readonly code: string | undefined;
  readonly artifactId: string | undefined;
  readonly notes: readonly string[];
  readonly trust: Trust;
}

/** The part of the record of calls that a resumed run needs. */
export interface CallHistory {
  /** Undefined where no call was made under this id. */
  find(callId: string): Promise<PastCall | undefined>;
  /** What to look at before a call of this tool is made again, in words for a model. */
  verify?(toolName: string): string | undefined;
}

/** What to do about a call that an earlier process may have made. */
export type Settled =
  /** It is made now, under this id. */
  | { readonly do: "make"; readonly callId: string }
  /** It is not made: this is its result. */
  | { readonly do: "take"; readonly entry: NewEntry & ResultEntry };

/** How often a call of another process is checked for its end. */
const pollMs = 250;
/** No tool may run longer than ten minutes; what takes longer is told to be under way. */
const mostPolls = 2_400;

/** What is needed to settle a call. */
interface Settling {
  readonly history: CallHistory;
  readonly entries: readonly Entry[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Once it is aborted, a call that another process makes is waited for no longer. */
  readonly patience: AbortSignal;
}

/**
 * Finds out what became of a call. It is made again if it surely did not happen, or may be repeated without harm; any
 * other call with an unknown outcome is not repeated.
 */
export async function settleCall(call: AskedCall, settling: Settling): Promise<Settled> {
  const { history, entries } = settling;
  // Each time the call was parked, it used up one attempt.
  const parked = entries.filter((entry) => entry.kind === "parked" && entry.callId === call.callId).length;
  for (let attempt = parked + 1; ; attempt++) {
    const callId = nameAttempt(call.callId, attempt);
    const past = await findEnded(callId, settling);
    if (past === undefined) return { do: "make", callId };
    if (past.state === "ended") return { do: "take", entry: takeOver(call, past.outcome) };
    if (past.state === "running") return { do: "take", entry: tellRunning(call) };
    if (!past.isRepeatable) return { do: "take", entry: tellUnknown(call, past, history) };
  }
}

/** The id of a call's first attempt is its own. */
function nameAttempt(callId: string, attempt: number): string {
  return attempt === 1 ? callId : `${callId}~${attempt}`;
}

/** Waits while another process makes the call, until `patience` is aborted. */
async function findEnded(
  callId: string,
  { history, clock, signal, patience }: Settling,
): Promise<PastCall | undefined> {
  for (let polls = 0; ; polls++) {
    signal.throwIfAborted();
    const past = await history.find(callId);
    if (past?.state !== "running" || patience.aborted || polls >= mostPolls) return past;
    await wait(clock, AbortSignal.any([signal, patience]));
  }
}

/** Resolves after a while, or as soon as the signal is aborted. */
function wait(clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      cancel();
      resolve();
    };
    const cancel = clock.after(pollMs, () => {
      signal.removeEventListener("abort", stop);
      resolve();
    });
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

function takeOver(
  { callId, name }: AskedCall,
  { text, failed, code, artifactId, notes, trust }: PastOutcome,
): NewEntry & ResultEntry {
  return {
    kind: "result",
    callId,
    name,
    text: [...notes.map((note) => `(${note})`), text].join("\n"),
    failed,
    ...(code !== undefined && { code }),
    ...(artifactId !== undefined && { artifactId }),
    trust,
  };
}

function tellUnknown(
  { callId, name }: AskedCall,
  { startedAt }: Extract<PastCall, { state: "unknown" }>,
  history: CallHistory,
): NewEntry & ResultEntry {
  const hint = history.verify?.(name);
  const look = hint === undefined ? "Look before you do it again." : `Look before you do it again: ${hint}`;
  return {
    kind: "result",
    callId,
    name,
    text: `Nobody knows whether this happened: the program that did it died after ${new Date(startedAt).toISOString()}. ${look}`,
    failed: true,
    code: "TOOL_UNKNOWN",
  };
}

function tellRunning({ callId, name }: AskedCall): NewEntry & ResultEntry {
  const text =
    "This was begun in another program, which still does it. Look how it came out before you do it again.";
  return { kind: "result", callId, name, text, failed: true, code: "TOOL_UNKNOWN" };
}
