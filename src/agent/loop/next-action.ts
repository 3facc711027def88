import type { Entry, WaitingMessage } from "../../modules/sessions/index.ts";
import { hasFailedRepeatedly } from "./failures.ts";
import { type AskedCall, type NoteSubject, type RunReading, readRun, readText } from "./read-run.ts";
import { countRepeats, isStuck } from "./repetition.ts";
import { listReplies, type SpeechMode } from "./replies.ts";

/** What the loop does next. */
export type Action =
  /** The waiting messages become entries. */
  | { readonly do: "take-in"; readonly messages: readonly WaitingMessage[] }
  /** Calls are made, all at once. */
  | { readonly do: "run-calls"; readonly calls: readonly AskedCall[] }
  /** The calls that are left wait for something outside of the run. */
  | { readonly do: "park"; readonly waitFor: readonly string[] }
  /** Calls are not made, and the model is told why. */
  | { readonly do: "skip-calls"; readonly calls: readonly AskedCall[]; readonly text: string }
  /** A note is appended. */
  | { readonly do: "tell"; readonly about: NoteSubject; readonly text: string }
  | { readonly do: "ask-model"; readonly mayCall: boolean }
  /** The view is too large for the next request. */
  | { readonly do: "compact" }
  /** The model is asked for a verdict on the calls that have failed. */
  | { readonly do: "judge" }
  | { readonly do: "pause"; readonly why: "steps" | "repetition" }
  | {
      readonly do: "end";
      readonly stop: RunStop;
      readonly text: string;
      /** Whether the text was said with `reply` already. */
      readonly isSaid?: true;
    };

/**
 * Why a run ended. `empty`: the model answered nothing, twice. `length`: its answer was cut off. `limit`: a limit was
 * reached, and the run may not pause.
 */
export type RunStop = "end" | "empty" | "length" | "refused" | "interrupted" | "limit";

/** What the next action depends on, besides the entries. */
export interface LoopFacts {
  readonly runId: string;
  /** How many answers the run has had. */
  readonly steps: number;
  /** The most answers that the run may have, 1 or more. */
  readonly maxSteps: number;
  /** Messages that wait, in their order. */
  readonly inbox: readonly WaitingMessage[];
  /** Whether the next request would be too large. */
  readonly isTooLarge: boolean;
  /** Whether a tool waits or polls, so that equal calls of it are no repetition. */
  readonly mayRepeat: (toolName: string) => boolean;
  /** @default "text" */
  readonly speaks?: SpeechMode;
  /** Whether repeated failure is judged. @default false */
  readonly judges?: boolean;
}

/** How many equal blocks of calls in a row get a note, and how many pause the run. */
const repeats = { told: 3, paused: 5 } as const;

const notes = {
  empty: "Your last answer was empty. Answer, or call a tool.",
  steps:
    "The limit of steps is reached: no more tools can be called now. Say what is done, what is left, and how to go on.",
  reply:
    "The person you work for has not seen your answer: they see only what you say with the tool reply. Say it with reply.",
  answers:
    "Your last three answers were the same, word for word, though what you were told was not. Say what is in the way, or answer what was asked.",
  repetition:
    "You have made the same calls three times in a row. The same calls give the same results: try something else, or say what is in the way.",
} as const;

/**
 * The next action of a run, from nothing but the entries of its session, the waiting messages and the limits: a process
 * that takes over after a crash does what the one before would have done.
 */
export function nextAction(entries: readonly Entry[], facts: LoopFacts): Action {
  const run = readRun(entries, facts.runId);
  const action = settleCalls(run) ??
    takeIn(run, facts) ??
    windUp(run, facts) ??
    endOrNudge(entries, run, facts) ??
    judge(entries, facts) ??
    watchRepeats(entries, run, facts) ?? { do: "ask-model", mayCall: !isWoundUp(run) };
  return action.do === "ask-model" && facts.isTooLarge ? { do: "compact" } : action;
}

function settleCalls({ answer, open, parked, interruptedBy, notesBefore }: RunReading): Action | undefined {
  if (answer === undefined || open.length === 0) return undefined;
  const skip = (text: string): Action => ({ do: "skip-calls", calls: open, text: `Not run: ${text}` });
  if (answer.stop === "length")
    return skip("the answer was cut off at its longest. Make the call again, smaller.");
  if (interruptedBy !== undefined) return skip(`you were interrupted by ${interruptedBy}.`);
  if (notesBefore.includes("steps")) return skip("the limit of steps is reached.");
  if (notesBefore.includes("wind-up")) return skip("the work is at its end.");
  const calls = open.filter(({ callId }) => !parked.has(callId));
  if (calls.length > 0) return { do: "run-calls", calls };
  return { do: "park", waitFor: open.flatMap(({ callId }) => parked.get(callId) ?? []) };
}

/** A message that waits for the answer is read once there is one. */
function takeIn(run: RunReading, { inbox }: LoopFacts): Action | undefined {
  const messages = isAnswered(run) ? inbox : inbox.filter(({ how }) => how !== "queue");
  return messages.length === 0 ? undefined : { do: "take-in", messages };
}

/** At the last step the model reports where things stand; then the run pauses until somebody resumes it. */
function windUp(run: RunReading, { steps, maxSteps }: LoopFacts): Action | undefined {
  if (steps < maxSteps || isAnswered(run) || run.isInterrupted) return undefined;
  if (run.notes.includes("steps")) return { do: "ask-model", mayCall: false };
  return run.notesBefore.includes("steps")
    ? { do: "pause", why: "steps" }
    : { do: "tell", about: "steps", text: notes.steps };
}

function endOrNudge(
  entries: readonly Entry[],
  run: RunReading,
  { runId, speaks = "text" }: LoopFacts,
): Action | undefined {
  const { answer } = run;
  if (run.isInterrupted)
    return { do: "end", stop: "interrupted", text: answer === undefined ? "" : readText(answer) };
  if (answer === undefined || run.isAddressed) return undefined;
  const text = readText(answer);
  if (run.notesBefore.includes("steps")) return { do: "pause", why: "steps" };
  if (answer.stop === "refused") return { do: "end", stop: "refused", text };
  if (speaks === "reply") {
    const said = listReplies(entries, runId);
    if (said.length > 0) return { do: "end", stop: "end", text: said.join("\n\n"), isSaid: true };
    if (text.trim() !== "" && !run.notesBefore.includes("reply"))
      return { do: "tell", about: "reply", text: notes.reply };
  }
  if (text.trim() !== "") return { do: "end", stop: answer.stop === "length" ? "length" : "end", text };
  if (run.notesBefore.includes("empty")) return { do: "end", stop: "empty", text: "" };
  return { do: "tell", about: "empty", text: notes.empty };
}

function judge(entries: readonly Entry[], { runId, judges = false }: LoopFacts): Action | undefined {
  return judges && hasFailedRepeatedly(entries, runId) ? { do: "judge" } : undefined;
}

/** Whether the model was told to end its work, and has not said how it ended. */
function isWoundUp({ answer, notes: told, notesBefore }: RunReading): boolean {
  return told.includes("wind-up") || (answer?.stop === "calls" && notesBefore.includes("wind-up"));
}

function watchRepeats(entries: readonly Entry[], run: RunReading, facts: LoopFacts): Action | undefined {
  if (isStuck(entries) && !run.notes.includes("answers"))
    return { do: "tell", about: "answers", text: notes.answers };
  if (run.answer === undefined) return undefined;
  const count = countRepeats(entries, facts.runId, facts.mayRepeat);
  if (count >= repeats.paused) return { do: "pause", why: "repetition" };
  if (count !== repeats.told || run.notes.includes("repetition")) return undefined;
  return { do: "tell", about: "repetition", text: notes.repetition };
}

/** Whether the newest answer stands, and nothing has been said to it. */
function isAnswered({ answer, isAddressed }: RunReading): boolean {
  return answer !== undefined && !isAddressed;
}
