import type { CallPart } from "../../model/index.ts";
import type { AnswerEntry, Entry } from "../../modules/sessions/index.ts";

/** A call that the model wants made, under the id that the gate and the ledger know it by. */
export interface AskedCall {
  /** `<run>.<step>.<position from 1>`: known before anything happens. */
  readonly callId: string;
  readonly name: string;
  /** The arguments, as the model wrote them. */
  readonly input: string;
}

/**
 * The subjects of the loop's own notes: an empty answer, an answer that nobody sees, the limit of steps, equal calls,
 * equal answers, a resumed run, a verdict on failed calls, a verdict that ends the work.
 */
export type NoteSubject =
  | "empty"
  | "reply"
  | "steps"
  | "repetition"
  | "answers"
  | "resumed"
  | "verdict"
  | "wind-up";

/** What the newest entries of a run say about where it stands. */
export interface RunReading {
  /** The newest answer of the run. */
  readonly answer: (AnswerEntry & Entry) | undefined;
  /** Its calls without a result. */
  readonly open: readonly AskedCall[];
  /** What each parked call among them waits for, by its id. */
  readonly parked: ReadonlyMap<string, string>;
  /** Who interrupted the run since its newest answer. */
  readonly interruptedBy: string | undefined;
  /** Whether nobody has written anything since it was interrupted. */
  readonly isInterrupted: boolean;
  /** Whether the model has been told something since its newest answer. */
  readonly isAddressed: boolean;
  /** The subjects of the notes since the newest answer. */
  readonly notes: readonly string[];
  /** The subjects of the notes between the two newest answers. */
  readonly notesBefore: readonly string[];
}

/** The calls among these entries whose result is no failure. */
export function findCameOff(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(
    entries.flatMap((entry) => (entry.kind === "result" && !entry.failed ? [entry.callId] : [])),
  );
}

/** Reads where a run stands, from the newest entry of its session back to its second newest answer. */
export function readRun(entries: readonly Entry[], runId: string): RunReading {
  let answer: RunReading["answer"];
  let results: Set<string> | undefined;
  let parked: Map<string, string> | undefined;
  let interruptedBy: string | undefined;
  /** The newest entry that tells whether the run is interrupted. */
  let newest: "interrupt" | "user" | undefined;
  let isAddressed = false;
  const notes: string[] = [];
  const notesBefore: string[] = [];
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry?.runId !== runId) continue;
    if (entry.kind === "answer") {
      if (answer !== undefined) break;
      answer = entry;
    } else if (answer !== undefined) {
      if (entry.kind === "note") notesBefore.unshift(entry.about);
    } else if (entry.kind === "result") {
      isAddressed = true;
      results ??= new Set();
      results.add(entry.callId);
    } else if (entry.kind === "note") {
      isAddressed = true;
      notes.unshift(entry.about);
    } else if (entry.kind === "user") {
      isAddressed = true;
      newest ??= entry.kind;
    } else if (entry.kind === "interrupt") {
      newest ??= entry.kind;
      interruptedBy ??= entry.sender;
    } else if (entry.kind === "parked" && entry.callId !== undefined) {
      parked ??= new Map();
      if (!parked.has(entry.callId)) parked.set(entry.callId, entry.waitFor);
    }
  }
  return {
    answer,
    open: answer === undefined ? [] : listCalls(answer, runId, results),
    parked: parked ?? noneParked,
    interruptedBy,
    isInterrupted: newest === "interrupt",
    isAddressed,
    notes,
    notesBefore,
  };
}

const noneParked: RunReading["parked"] = new Map();

/**
 * The calls of an answer, under the ids that they are made by.
 *
 * @param except The ids of calls that are left out. @default none
 */
export function listCalls(
  { message, step }: AnswerEntry,
  runId: string,
  except?: ReadonlySet<string>,
): readonly AskedCall[] {
  const calls: AskedCall[] = [];
  let position = 0;
  for (const part of message.parts) {
    if (part.type !== "call") continue;
    const callId = nameCall(runId, step, ++position);
    if (except?.has(callId) !== true) calls.push({ callId, name: part.name, input: part.input });
  }
  return calls;
}

/** The id of a call by its place among the calls of its answer, from 1. */
export function nameCall(runId: string, step: number, position: number): string {
  return `${runId}.${step}.${position}`;
}

/** The calls among the parts of an answer. */
export function listCallParts(parts: AnswerEntry["message"]["parts"]): readonly CallPart[] {
  return parts.filter((part) => part.type === "call");
}

/** What an answer says, without its thoughts and calls. */
export function readText({ message }: Pick<AnswerEntry, "message">): string {
  let text = "";
  for (const part of message.parts) if (part.type === "text") text += part.text;
  return text;
}
