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
 * equal answers, a resumed run.
 */
export type NoteSubject = "empty" | "reply" | "steps" | "repetition" | "answers" | "resumed";

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

/** Reads where a run stands, from the newest entry of its session back to its second newest answer. */
export function readRun(entries: readonly Entry[], runId: string): RunReading {
  const { entries: since, answer, end } = readBack(entries, runId, entries.length);
  const { entries: before } = answer === undefined ? nothing : readBack(entries, runId, end);
  const done = new Set(since.flatMap((entry) => (entry.kind === "result" ? [entry.callId] : [])));
  return {
    answer,
    open: answer === undefined ? [] : listCalls(answer, runId).filter(({ callId }) => !done.has(callId)),
    parked: new Map(
      since.flatMap((entry) =>
        entry.kind === "parked" && entry.callId !== undefined ? [[entry.callId, entry.waitFor]] : [],
      ),
    ),
    interruptedBy: since.findLast((entry) => entry.kind === "interrupt")?.sender,
    isInterrupted:
      since.findLast(({ kind }) => kind === "interrupt" || kind === "user")?.kind === "interrupt",
    isAddressed: since.some(({ kind }) => kind === "user" || kind === "result" || kind === "note"),
    notes: listSubjects(since),
    notesBefore: listSubjects(before),
  };
}

/** The entries of a run between its newest answer before `end` and `end`, in their order. */
interface Stretch {
  readonly entries: readonly Entry[];
  readonly answer: (AnswerEntry & Entry) | undefined;
  /** The place of that answer. */
  readonly end: number;
}

const nothing: Stretch = { entries: [], answer: undefined, end: 0 };

function readBack(entries: readonly Entry[], runId: string, end: number): Stretch {
  const found: Entry[] = [];
  for (let at = end - 1; at >= 0; at--) {
    const entry = entries[at];
    if (entry?.runId !== runId) continue;
    if (entry.kind === "answer") return { entries: found.reverse(), answer: entry, end: at };
    found.push(entry);
  }
  return { entries: found.reverse(), answer: undefined, end: 0 };
}

/** The calls of an answer, under the ids that they are made by. */
export function listCalls({ message, step }: AnswerEntry, runId: string): readonly AskedCall[] {
  return listCallParts(message.parts).map(({ name, input }, at) => ({
    callId: `${runId}.${step}.${at + 1}`,
    name,
    input,
  }));
}

/** The calls among the parts of an answer. */
export function listCallParts(parts: AnswerEntry["message"]["parts"]): readonly CallPart[] {
  return parts.filter((part) => part.type === "call");
}

/** What an answer says, without its thoughts and calls. */
export function readText({ message }: Pick<AnswerEntry, "message">): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
}

function listSubjects(entries: readonly Entry[]): readonly string[] {
  return entries.flatMap((entry) => (entry.kind === "note" ? [entry.about] : []));
}
