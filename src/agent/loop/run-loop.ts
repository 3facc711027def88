import { type Clock, isPromise, type MaybePromise, systemClock } from "../../base/index.ts";
import { type ChatModel, type ChatRequest, ModelError } from "../../model/index.ts";
import type { NewEntry, RunChange, WaitingMessage } from "../../modules/sessions/index.ts";
import { compact, measureRequest, needsRoom } from "../compaction/compact.ts";
import { countEntry } from "../compaction/size.ts";
import { askModel, toAnswer } from "./ask-model.ts";
import type { RunEnd } from "./events.ts";
import { hideAnswers } from "./hide-answers.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Prefix } from "./journal.ts";
import { judgeFailures } from "./judge.ts";
import { beginMetered, endForBudget, type LoopMeter, type Metered } from "./metered.ts";
import { tellNews } from "./news.ts";
import { type Action, nextAction } from "./next-action.ts";
import { parkForAnswers, parkForModel } from "./park.ts";
import { type CallHistory, settleCall } from "./past-calls.ts";
import { type AskedCall, readRun, readText } from "./read-run.ts";
import type { SpeechMode } from "./replies.ts";
import { CallFault, type CallParts, makeCall } from "./run-calls.ts";
import { findRunTrust } from "./run-trust.ts";
import { toTakenIn } from "./take-in.ts";

/** What is needed to drive a run. */
export interface LoopParts extends CallParts {
  readonly model: ChatModel;
  /** Instructions and tools as they are now: an epoch begins with them, and keeps them. */
  readonly makePrefix: () => Promise<Prefix>;
  /** Aborted when this process leaves the run to be continued elsewhere or later: nothing is written after that. */
  readonly leave: AbortSignal;
  /** The record of calls made by an earlier process. @default every call without a result is made */
  readonly history?: CallHistory;
  /** @default the machine's */
  readonly clock?: Clock;
  /** The most answers that the run may have. */
  readonly maxSteps: number;
  /** Whether a tool waits or polls, so that equal calls of it are no repetition. @default no tool does */
  readonly mayRepeat?: (toolName: string) => boolean;
  /** How the agent speaks to the person it works for. @default "text" */
  readonly speaks?: SpeechMode;
  /** Whether the model is asked for a verdict when three calls in a row have failed. @default false */
  readonly judges?: boolean;
  /** False: nobody decides how the run goes on, so it ends where it would pause. @default true */
  readonly mayPause?: boolean;
  /** Counts requests to the model, and keeps them within budgets. @default nothing is counted */
  readonly meter?: LoopMeter;
  /** What the run still waits for once its model has answered: tasks that it began. @default nothing */
  readonly findUnfinished?: () => Promise<readonly string[]>;
  /** Facts about the work from the store, for a summary. @default nothing */
  readonly describeWork?: () => Promise<readonly string[]>;
  readonly maxTokens?: number;
  readonly effort?: ChatRequest["effort"];
}

/**
 * Drives a run until it ends or can't go on by itself. All of its state is in the journal, so it goes on where another
 * process stopped.
 *
 * @throws the reason of `leave`, and what the journal rejects with: the run is then as its entries say.
 */
export async function runLoop(parts: LoopParts): Promise<RunEnd> {
  const stopFollowing = parts.interrupts.follow(parts.leave);
  try {
    return await drive(parts.speaks === "reply" ? { ...parts, emit: hideAnswers(parts.emit) } : parts);
  } finally {
    stopFollowing();
  }
}

async function drive(parts: LoopParts): Promise<RunEnd> {
  const { journal, model, emit, news } = parts;
  emit({ type: "run.began", runId: journal.runId, sessionId: journal.sessionId });
  await news?.resume(journal);
  // A prefix made for another model can't be used.
  if (journal.prefix?.model !== model.id) await journal.write({ prefix: await parts.makePrefix() });
  await parts.recall?.tell();
  await settleOpenCalls(parts);
  let end: RunEnd | undefined;
  while (end === undefined) {
    parts.leave.throwIfAborted();
    const waiting = journal.waiting();
    end = await take(parts, choose(parts, isPromise(waiting) ? await waiting : waiting));
  }
  if (end.state === "paused" && parts.mayPause === false)
    end = { state: "completed", stop: "limit", text: readLastText(parts) };
  await journal.write({ run: toChange(end) });
  emit({ type: "run.ended", end });
  return end;
}

function choose(
  { journal, model, maxSteps, mayRepeat = () => false, speaks = "text", judges = false }: LoopParts,
  inbox: readonly WaitingMessage[],
): Action {
  return nextAction(journal.entries, {
    runId: journal.runId,
    steps: journal.steps,
    maxSteps,
    inbox,
    isTooLarge: needsRoom(journal, model),
    mayRepeat,
    speaks,
    judges,
  });
}

/** Undefined where the run goes on. */
function take(parts: LoopParts, action: Action): MaybePromise<RunEnd | undefined> {
  switch (action.do) {
    case "take-in":
      return takeIn(parts, action.messages);
    case "run-calls":
      return runCalls(parts, action.calls);
    case "park":
      return parkForAnswers(action.waitFor);
    case "skip-calls":
      return skipCalls(parts, action);
    case "tell":
      return tell(parts, action);
    case "ask-model":
      return ask(parts, action.mayCall);
    case "compact":
      return makeRoom(parts);
    case "judge":
      return judgeFailures(parts);
    case "pause": {
      const text = readLastText(parts);
      say(parts, text);
      return { state: "paused", why: action.why, text };
    }
    case "end":
      return endOrWait(parts, action);
    default:
      return action satisfies never;
  }
}

/** A run whose tasks are under way ends once they have, if it may be parked until then. */
async function endOrWait(
  parts: LoopParts,
  action: Extract<Action, { readonly do: "end" }>,
): Promise<RunEnd | undefined> {
  if (action.stop !== "interrupted" && parts.findUnfinished !== undefined) {
    const waitFor = await parts.findUnfinished();
    if (waitFor.length > 0) return parkForAnswers(waitFor);
    // One may have ended since the inbox was read.
    if ((await parts.journal.waiting()).length > 0) return undefined;
  }
  if (action.isSaid !== true && action.stop !== "interrupted") say(parts, action.text);
  return action.stop === "interrupted"
    ? { state: "stopped", stop: action.stop, text: action.text }
    : { state: "completed", stop: action.stop, text: action.text };
}

/** Shows a text that the agent has not said with `reply`, if only its replies are shown. */
function say({ speaks, emit }: LoopParts, text: string): void {
  if (speaks === "reply" && text.trim() !== "") emit({ type: "reply", text });
}

async function takeIn({ journal, emit }: LoopParts, messages: readonly WaitingMessage[]): Promise<undefined> {
  const { entries, taken, messages: read } = toTakenIn(messages, journal.entries);
  await journal.write({ entries: entries.map(withTokens), taken });
  for (const message of read) emit({ type: "message.taken", message });
}

/** Deals with the calls that an earlier process left without a result; later ones are this process's own. */
async function settleOpenCalls(parts: LoopParts): Promise<void> {
  const { journal, history, interrupts, leave, parks, clock = systemClock } = parts;
  const action = choose(parts, await journal.waiting());
  if (history === undefined || (action.do !== "run-calls" && action.do !== "park")) return;
  // None is made before it is known of all what became of them.
  const settled = await Promise.all(
    readRun(journal.entries, journal.runId).open.map(async (call) => ({
      call,
      known: await settleCall(call, {
        history,
        entries: journal.entries,
        mayPark: parks === "all",
        clock,
        signal: leave,
        patience: interrupts.signal,
      }),
    })),
  );
  await finishCalls(
    parts,
    settled.flatMap(({ call, known }) => {
      if (known.do === "make") return [makeCall(parts, call, known.callId)];
      return known.entry === undefined ? [] : [Promise.resolve(known.entry)];
    }),
  );
}

function runCalls(parts: LoopParts, calls: readonly AskedCall[]): Promise<undefined> {
  return finishCalls(
    parts,
    calls.map((call) => makeCall(parts, call)),
  );
}

/** Writes the results in the order of the calls. Where one can't be had, the run is left once the others have ended. */
async function finishCalls(
  { journal, interrupts, leave, recall }: LoopParts,
  calls: readonly Promise<NewEntry | CallFault>[],
): Promise<undefined> {
  const made: (NewEntry | CallFault)[] = [];
  for (const call of calls) made.push(await call); // None rejects.
  leave.throwIfAborted();
  const entries = [...takeInterrupt(interrupts), ...made].map(requireEntry);
  const writing = entries.length > 0 ? journal.write({ entries }) : undefined;
  if (isPromise(writing)) await writing;
  const telling = recall?.tell();
  if (isPromise(telling)) await telling;
}

/** @throws what a call without a result met. */
function requireEntry(made: NewEntry | CallFault): SizedEntry {
  if (made instanceof CallFault) throw made.reason;
  return withTokens(made);
}

async function skipCalls(
  { journal }: LoopParts,
  { calls, text }: { readonly calls: readonly AskedCall[]; readonly text: string },
): Promise<undefined> {
  const entries = calls.map(
    ({ callId, name }): NewEntry => ({ kind: "result", callId, name, text, failed: true }),
  );
  await journal.write({ entries: entries.map(withTokens) });
}

async function tell(
  { journal, emit }: LoopParts,
  { about, text }: { readonly about: string; readonly text: string },
): Promise<undefined> {
  await journal.write({ entries: [withTokens({ kind: "note", about, text })] });
  emit({ type: "note", about, text });
}

async function ask(parts: LoopParts, mayCall: boolean): Promise<RunEnd | undefined> {
  const { journal, model, interrupts, leave, emit, maxTokens } = parts;
  const step = journal.steps + 1;
  const telling = tellNews(parts);
  if (isPromise(telling)) await telling;
  const recalling = parts.recall?.tell();
  if (isPromise(recalling)) await recalling;
  emit({ type: "step.began", step });
  const booking = beginMetered(parts, {
    step,
    purpose: "step",
    inputTokens: measureRequest(journal),
    ...(maxTokens !== undefined && { maxTokens }),
  });
  const metered = isPromise(booking) ? await booking : booking;
  if (metered.end !== undefined) return metered.end;
  try {
    const { signal } = interrupts;
    const end = await askModel(model, toRequest(parts, { mayCall, metered, signal }), {
      emit,
      onPiece: (event) => metered.hear(event),
      onWithdrawn: (withdrawn) => metered.retried(withdrawn),
    });
    const trust = findRunTrust(journal, parts.context().trust);
    const answer = toAnswer(end, step, model.id);
    const tokens = countEntry(answer);
    const writing = journal.write({ entries: [{ ...answer, trust, tokens }], run: { steps: step } });
    if (isPromise(writing)) await writing;
    const counting = metered.ended(end, tokens);
    const cost = isPromise(counting) ? await counting : counting;
    emit({
      type: "answer.ended",
      step,
      text: readText(end),
      usage: end.usage,
      ...(cost !== undefined && { cost }),
    });
    return undefined;
  } catch (thrown) {
    await metered.failed(thrown);
    leave.throwIfAborted();
    if (metered.end !== undefined) return metered.end;
    const interrupted = takeInterrupt(interrupts);
    if (interrupted.length === 0) return endWithout(parts, thrown);
    await journal.write({ entries: interrupted });
    return undefined;
  }
}

function toRequest(
  { journal, maxTokens, effort }: LoopParts,
  {
    mayCall,
    metered,
    signal,
  }: { readonly mayCall: boolean; readonly metered: Metered; readonly signal: AbortSignal },
): ChatRequest {
  const { system = [], tools = [] } = journal.prefix ?? {};
  const longest = metered.maxTokens ?? maxTokens;
  return {
    system,
    tools,
    messages: journal.shown.messages,
    ...(!mayCall && { toolChoice: "none" }),
    ...(longest !== undefined && { maxTokens: longest }),
    ...(effort !== undefined && { effort }),
    cacheKey: journal.sessionId,
    signal,
  };
}

/** Decides how a run goes on whose model gave no answer. Any error that is not the model's is thrown again. */
async function endWithout(parts: LoopParts, thrown: unknown): Promise<RunEnd | undefined> {
  if (!(thrown instanceof ModelError)) throw thrown;
  const { code, message: text } = thrown;
  if (code === "MODEL_CONTEXT") return makeRoom(parts, text);
  return (await parkForModel(parts, thrown)) ?? { state: "failed", code, text };
}

async function makeRoom(parts: LoopParts, refusal?: string): Promise<RunEnd | undefined> {
  const { interrupts, leave, emit } = parts;
  try {
    const done = await compact({ ...parts, refusal, signal: interrupts.signal });
    if (done.did === "give-up") return { state: "paused", why: "context", text: done.text };
    if (done.did === "pause") return endForBudget(done.pause);
    emit({ type: "compacted", by: done.did });
    return undefined;
  } catch (thrown) {
    leave.throwIfAborted();
    const interrupted = takeInterrupt(interrupts);
    if (interrupted.length === 0) throw thrown;
    await parts.journal.write({ entries: interrupted });
    return undefined;
  }
}

type SizedEntry = NewEntry & { readonly tokens: number };

function withTokens(entry: NewEntry): SizedEntry {
  const { tokens = countEntry(entry) } = entry;
  return { ...entry, tokens };
}

function takeInterrupt(interrupts: Interrupts): readonly NewEntry[] {
  const sender = interrupts.take();
  return sender === undefined ? [] : [{ kind: "interrupt", sender }];
}

function toChange(end: RunEnd): RunChange {
  switch (end.state) {
    case "completed":
    case "stopped":
      return { state: end.state, why: end.stop, result: end.text };
    case "paused":
      return { state: "paused", why: end.why, result: end.text };
    case "parked":
      return { state: "parked", why: end.why, waitFor: end.waitFor };
    case "failed":
      return { state: "failed", why: end.code, result: end.text };
    default:
      return end satisfies never;
  }
}

function readLastText({ journal }: LoopParts): string {
  const answer = journal.entries.findLast((entry) => entry.kind === "answer");
  return answer === undefined ? "" : readText(answer);
}
