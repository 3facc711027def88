import { type CallContext, findExitCode, type ToolExecutor, type ToolResult } from "../../kernel/index.ts";
import type { ImagePart } from "../../model/index.ts";
import { formatWait, type NewEntry, type ResultEntry, readWaits } from "../../modules/sessions/index.ts";
import type { AgentEvent } from "./events.ts";
import type { Interrupts } from "./interrupts.ts";
import type { Journal } from "./journal.ts";
import type { NewsSource } from "./news.ts";
import { waitingCode } from "./park.ts";
import type { AskedCall } from "./read-run.ts";
import type { Recall } from "./recall.ts";
import { findRunTrust } from "./run-trust.ts";
import { readInput } from "./seen-entries.ts";

/** What is needed to make the calls of a run. */
export interface CallParts {
  readonly journal: Journal;
  readonly executor: Pick<ToolExecutor, "run">;
  /** The context of each call of the run, asked for at each: what an interaction shows may change. */
  readonly context: () => CallContext;
  /** The arguments as the tool takes them, of those that the model gave in its own form. @default as they are */
  readonly readArguments?: (toolName: string, given: unknown) => unknown;
  readonly interrupts: Interrupts;
  readonly emit: (event: AgentEvent) => void;
  /** Tells the gate what the model is shown. @default the gate knows only what this process does */
  readonly recall?: Recall;
  /** Changes after the prefix was made: the model is told of them. @default there are none */
  readonly news?: NewsSource;
  /**
   * Waits that are stored as a row, so that no process is kept for them. `time`: until a model can be asked again.
   * `all`: for answers to its questions, too. @default none: the run waits in this process for answers, and fails if no
   * model can be asked
   */
  readonly parks?: "time" | "all";
}

/** A call that has neither a result nor a question to wait for, so that the run can't go on. */
export class CallFault {
  readonly reason: unknown;

  constructor(reason: unknown) {
    this.reason = reason;
  }
}

/**
 * Makes one call through the gate. Resolves with its result, or with what it is parked for. If neither can be had, the
 * run's other calls are ended.
 *
 * @param madeAs The id under which the call is made, if it differs from its own.
 */
export async function makeCall(
  parts: CallParts,
  call: AskedCall,
  madeAs: string = call.callId,
): Promise<NewEntry | CallFault> {
  try {
    parts.recall?.noteMade(call.callId);
    return toEntry(parts, call, await run(parts, call, madeAs));
  } catch (thrown) {
    parts.interrupts.fail(thrown);
    return new CallFault(thrown);
  }
}

function run(
  { journal, executor, context, readArguments, interrupts, emit }: CallParts,
  { callId, name, input }: AskedCall,
  madeAs: string,
): Promise<ToolResult> {
  emit({ type: "call.began", callId, name, input });
  const given = readInput(input);
  const caller = context();
  return executor.run(name, readArguments === undefined ? given : readArguments(name, given), {
    ...caller,
    trust: findRunTrust(journal, caller.trust),
    callId: madeAs,
    keepOutcome: true,
    ...(journal.lease !== undefined && { lease: journal.lease }),
    signal: interrupts.signal,
    onUpdate: (update) => emit({ type: "call.updated", callId, update }),
  });
}

function toEntry({ journal, news, parks, emit }: CallParts, call: AskedCall, result: ToolResult): NewEntry {
  const { callId, name } = call;
  const waitFor = parks === "all" ? findWait(result) : undefined;
  if (waitFor !== undefined) {
    emit({ type: "call.parked", callId, name, waitFor });
    return { kind: "parked", callId, waitFor };
  }
  const shown = toResult(call, result);
  const why = shown.code === "TOOL_NOT_FOUND" ? news?.explainGone(journal, result.toolName) : undefined;
  const entry =
    why === undefined ? shown : { ...shown, text: `Cannot call "${result.toolName}": ${why}. ${goneHint}` };
  emit({ type: "call.ended", callId, result: entry });
  return entry;
}

const goneHint = "It may come back, and you are told if it does; until then do without it.";

/** What a call waits for: an answer to the question that it was refused for, or what it says itself. */
function findWait(result: ToolResult): string | undefined {
  if (result.success) return undefined;
  const { approval, waitFor } = result.details ?? {};
  if (result.code === "TOOL_PERMISSION" && typeof approval === "string")
    return formatWait({ for: "approval", id: approval });
  const isWaiting = result.code === waitingCode && typeof waitFor === "string";
  return isWaiting && readWaits(waitFor).length > 0 ? waitFor : undefined;
}

function toResult({ callId, name }: AskedCall, result: ToolResult): NewEntry & ResultEntry {
  const { text, notes, artifact, hosts, trust, private: isPrivate } = result;
  const images = result.success ? listImages(result.content) : none;
  const exitCode = findExitCode(result);
  const noted = notes.map((note) => `(${note})\n`).join("");
  return {
    kind: "result",
    callId,
    name,
    text: noted + text,
    failed: !result.success,
    trust,
    private: isPrivate,
    ...(noted !== "" && { notesLength: noted.length }),
    ...(exitCode !== undefined && { exitCode }),
    ...(images.length > 0 && { images }),
    ...(!result.success && { code: result.code }),
    ...(artifact !== undefined && { artifactId: artifact.id }),
    ...(hosts !== undefined && { hosts }),
  };
}

const none: readonly ImagePart[] = [];

function listImages(content: Extract<ToolResult, { success: true }>["content"]): readonly ImagePart[] {
  if (content === undefined) return none;
  return content.flatMap((block) =>
    block.type === "image" ? [{ type: "image" as const, mimeType: block.mimeType, data: block.data }] : [],
  );
}
