import { type Clock, pause } from "../../base/index.ts";
import type { KeptLabels } from "../../kernel/index.ts";
import {
  type Entry,
  formatWait,
  type NewEntry,
  type ParkedEntry,
  type ResultEntry,
  readWaits,
} from "../../modules/sessions/index.ts";
import { waitingCode } from "./park.ts";
import type { AskedCall } from "./read-run.ts";

/** What the record says about the call with an id. */
export type PastCall =
  /** A living process is making it now. */
  | { readonly state: "running" }
  /** Its process died, so its outcome is unknown. */
  | { readonly state: "unknown"; readonly isRepeatable: boolean; readonly startedAt: number }
  | {
      readonly state: "ended";
      readonly outcome: PastOutcome;
      /** The unanswered question that it was refused for, if the same call made again can use the answer. */
      readonly question?: string;
    };

/** What became of a question about a call. */
export type PastQuestion =
  /** Nobody has answered it yet. */
  | { readonly state: "open" }
  /** Somebody said yes: a call made again uses that, if none did. */
  | { readonly state: "yes" }
  | { readonly state: "no"; readonly by: string; readonly reason?: string }
  /** It has expired: it can't be answered any more, and a yes to it can't be used. */
  | { readonly state: "over" };

/** The outcome of a call: the whole, or as much as is still known. */
export interface PastOutcome extends KeptLabels {
  readonly text: string;
  readonly failed: boolean;
  readonly code: string | undefined;
  readonly artifactId: string | undefined;
  readonly notes: readonly string[];
}

/** The part of the record of calls that a resumed run needs. */
export interface CallHistory {
  /** Undefined where no call was made under this id. */
  find(callId: string): Promise<PastCall | undefined>;
  /** What became of a stored question. @default it was answered with yes, and the gate knows that */
  question?(id: string): Promise<PastQuestion>;
  /** The id of the question about the call with this id. @default none was */
  questionOf?(callId: string): Promise<string | undefined>;
  /** What to look at before a call of this tool is made again, in words for a model. */
  verify?(toolName: string): string | undefined;
}

/** What to do about a call that an earlier process may have made. */
export type Settled =
  /** It is made now, under this id. */
  | { readonly do: "make"; readonly callId: string }
  /** It is not made: this is its result. */
  | { readonly do: "take"; readonly entry: NewEntry & ResultEntry }
  /** It still waits for an answer. `entry` records that, if no entry does yet. */
  | { readonly do: "wait"; readonly entry?: NewEntry & ParkedEntry };

/** How often a call of another process is checked for its end. */
const pollMs = 250;
/** No tool may run longer than ten minutes; what takes longer is told to be under way. */
const mostPolls = 2_400;

/** What is needed to settle a call. */
interface Settling {
  readonly history: CallHistory;
  readonly entries: readonly Entry[];
  /** Whether a call is parked while its question is open; else it is made again and waits in this process. */
  readonly mayPark: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Once it is aborted, a call that another process makes is waited for no longer. */
  readonly patience: AbortSignal;
}

/**
 * Finds out what became of a call. It is made again if it surely did not happen, or may be repeated without harm; any
 * other call with an unknown outcome is not repeated. A call that waited for an answer is made again with a yes, and a
 * no is its result.
 */
export async function settleCall(call: AskedCall, settling: Settling): Promise<Settled> {
  const { history, entries, mayPark } = settling;
  const parked = entries.filter((entry) => entry.kind === "parked" && entry.callId === call.callId);
  let question = findApproval(parked.at(-1));
  // Each time the call was parked, it used up one attempt.
  for (let attempt = parked.length + 1; ; attempt++) {
    const callId = nameAttempt(call.callId, attempt);
    const past = await findEnded(callId, settling);
    if (past === undefined) return settleQuestion({ call, callId, question }, settling);
    if (past.state === "running") return { do: "take", entry: tellRunning(call) };
    if (past.state === "unknown") {
      if (!past.isRepeatable) return { do: "take", entry: tellUnknown(call, past, history) };
    } else if (past.outcome.code !== waitingCode) {
      if (past.question === undefined) return { do: "take", entry: takeOver(call, past.outcome) };
      // Its process died before it was parked.
      question = past.question;
      const asked = await findAsked(history, past.question);
      if (asked.state === "open" && mayPark) return { do: "wait", entry: park(call, past.question) };
      if (asked.state === "over") return { do: "take", entry: takeOver(call, past.outcome) };
    }
  }
}

interface AskedAttempt {
  readonly call: AskedCall;
  /** The id under which the call would be made. */
  readonly callId: string;
  /** The question that the call is parked for. */
  readonly question: string | undefined;
}

/** Decides what to do with a call that was not made under this id, by what became of its question. */
async function settleQuestion(
  { call, callId, question }: AskedAttempt,
  { history, mayPark }: Settling,
): Promise<Settled> {
  // A question of a process that died meanwhile is asked anew, unless somebody said no to it.
  const id = question ?? (await history.questionOf?.(callId));
  if (id === undefined) return { do: "make", callId };
  const asked = await findAsked(history, id);
  if (asked.state === "no") return { do: "take", entry: tellNo(call, asked) };
  if (question === undefined) return { do: "make", callId };
  if (asked.state === "over") return { do: "take", entry: tellOver(call) };
  return asked.state === "open" && mayPark ? { do: "wait" } : { do: "make", callId };
}

async function findAsked(history: CallHistory, id: string): Promise<PastQuestion> {
  return (await history.question?.(id)) ?? { state: "yes" };
}

function findApproval(entry: Entry | undefined): string | undefined {
  if (entry?.kind !== "parked") return undefined;
  return readWaits(entry.waitFor).flatMap((wait) => (wait.for === "approval" ? [wait.id] : []))[0];
}

function park({ callId }: AskedCall, question: string): NewEntry & ParkedEntry {
  return { kind: "parked", callId, waitFor: formatWait({ for: "approval", id: question }) };
}

/** The id of a call's first attempt is its own. */
function nameAttempt(callId: string, attempt: number): string {
  return attempt === 1 ? callId : `${callId}~${attempt}`;
}

/** The id of a call's first attempt, by which entries have the call. */
export function toFirstAttempt(callId: string): string {
  return callId.replace(/~\d+$/, "");
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
    await pause(clock, pollMs, AbortSignal.any([signal, patience]));
  }
}

function takeOver(
  { callId, name }: AskedCall,
  { text, failed, code, artifactId, notes, trust, private: isPrivate, hosts }: PastOutcome,
): NewEntry & ResultEntry {
  return {
    kind: "result",
    callId,
    name,
    text: [...notes.map((note) => `(${note})`), text].join("\n"),
    failed,
    ...(code !== undefined && { code }),
    ...(artifactId !== undefined && { artifactId }),
    ...(hosts !== undefined && { hosts }),
    trust,
    private: isPrivate,
  };
}

function tellNo(
  { callId, name }: AskedCall,
  { by, reason }: Extract<PastQuestion, { state: "no" }>,
): NewEntry & ResultEntry {
  const why = reason === undefined ? "" : ` (${reason})`;
  const text = `Permission denied: ${by} said no to this call of "${name}"${why} [TOOL_PERMISSION]`;
  return { kind: "result", callId, name, text, failed: true, code: "TOOL_PERMISSION" };
}

function tellOver({ callId, name }: AskedCall): NewEntry & ResultEntry {
  const text = `Permission denied: nobody answered in time whether "${name}" may be called like this [TOOL_PERMISSION]`;
  return { kind: "result", callId, name, text, failed: true, code: "TOOL_PERMISSION" };
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
