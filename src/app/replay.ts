import { hash } from "node:crypto";
import { canonicalJson, getErrorCode, getErrorMessage, isRecord, parseJson } from "../base/index.ts";
import type {
  CallContext,
  Decision,
  Effect,
  Foreseen,
  Tool,
  ToolExecutor,
  ToolRegistry,
} from "../kernel/index.ts";
import type { CallRecord, LedgerStore } from "../modules/ledger/index.ts";
import { allCalls } from "./all-calls.ts";
import { type Excerpts, firstDifference } from "./config/first-difference.ts";

/** What has come to be otherwise since a call was recorded. */
export const replayDifferences = ["tool", "version", "arguments", "decision", "result"] as const;
export type ReplayDifference = (typeof replayDifferences)[number];

/**
 * `same`: it was run again and gave what it gave then, or would be refused as it was. `stands`: it would be decided as
 * then, and is not run again. `unchecked`: what is recorded of it is not enough to tell.
 */
export type ReplayedCall =
  | (Replayed & { readonly outcome: "same" | "stands" | "unchecked"; readonly why: string })
  | (Replayed &
      Excerpts & { readonly outcome: "different"; readonly what: ReplayDifference; readonly why: string });

interface Replayed {
  readonly callId: string;
  readonly toolName: string;
}

export interface ReplayOptions {
  readonly registry: ToolRegistry;
  readonly executor: ToolExecutor;
  /** The bounds that calls have now. Who made a call, and where, is as it was recorded. */
  readonly context: CallContext;
  readonly ledger: Pick<LedgerStore, "list" | "show">;
  readonly signal: AbortSignal;
}

/** One call by its id, or all calls of the task or the process of that id, oldest first. */
export async function* recordedCalls(
  id: string,
  { ledger, signal }: Pick<ReplayOptions, "ledger" | "signal">,
): AsyncGenerator<CallRecord, void, void> {
  const call = await ledger.show(id);
  if (call !== undefined) {
    yield call;
    return;
  }
  let found = false;
  for await (const page of allCalls(ledger, { taskId: id }, signal)) {
    found = true;
    yield* page;
  }
  if (found) return;
  for await (const page of allCalls(ledger, { runId: id }, signal)) yield* page;
}

/** The task that calls are recorded under which a replay makes. */
export function replayTask(id: string): string {
  return `replay:${id}`;
}

/**
 * Holds one recorded call against what the installation is now: the tool, its version, the arguments, the decision
 * and, for a call that is known to change nothing, the result, for which it is run again through the gate as part of
 * `taskId`.
 */
export async function replayCall(
  call: CallRecord,
  taskId: string,
  options: ReplayOptions,
): Promise<ReplayedCall> {
  options.signal.throwIfAborted();
  const { callId, toolName } = call;
  return { callId, toolName, ...(await compare(call, taskId, options)) };
}

type Comparison =
  | { readonly outcome: "same" | "stands" | "unchecked"; readonly why: string }
  | (Excerpts & { readonly outcome: "different"; readonly what: ReplayDifference; readonly why: string });

async function compare(call: CallRecord, taskId: string, options: ReplayOptions): Promise<Comparison> {
  const tool = options.registry.get(call.toolName);
  if (tool === undefined || call.toolVersion === undefined) return compareAbsence(call, tool);
  if (tool.version !== call.toolVersion) {
    const versions = { recorded: `version ${call.toolVersion}`, now: `version ${tool.version}` };
    return different("version", "the tool has another version", versions);
  }
  const params = exactParams(call, tool);
  if (params === undefined)
    return {
      outcome: "unchecked",
      why: "its arguments were cut, or had secrets taken out, when it was recorded",
    };
  const context = toContext(call, options);
  let foreseen: Foreseen;
  try {
    foreseen = await options.executor.foresee(call.toolName, params, context);
  } catch (error) {
    options.signal.throwIfAborted();
    return compareRefusal(call, error);
  }
  return (
    compareArguments(call, foreseen) ??
    compareDecision(call, foreseen) ??
    (await compareResult(call, foreseen, params, { ...context, taskId, signal: options.signal }, options))
  );
}

function compareAbsence(call: CallRecord, tool: Tool | undefined): Comparison {
  const recorded = call.toolVersion === undefined ? "no such tool" : `version ${call.toolVersion}`;
  const now = tool === undefined ? "no such tool" : `version ${tool.version}`;
  if (recorded === now) return { outcome: "same", why: "there is still no such tool" };
  return different("tool", tool === undefined ? "the tool is not there" : "there is such a tool now", {
    recorded,
    now,
  });
}

/** The arguments as they were, if the record has them whole: its digest is of those that were used. */
export function exactParams(call: CallRecord, { secretParams, composes }: Tool): unknown {
  const params = parseJson(call.paramsText);
  if (params === undefined || computeDigest(params) !== call.paramsDigest) return undefined;
  if (composes !== undefined && call.paramsText.includes("[secret]")) return undefined; // Of a call within it.
  const withheld =
    secretParams !== undefined && isRecord(params) && Object.values(params).includes("[secret]");
  return withheld ? undefined : params;
}

/** Nobody is asked: a call that would have to be is not run. */
function toContext(call: CallRecord, { context, signal }: ReplayOptions): CallContext {
  const { scope, agentId, userId, channel } = call;
  return {
    ...context,
    scope,
    signal,
    ...(agentId !== undefined && { agentId }),
    ...(userId !== undefined && { userId }),
    ...(channel !== undefined && { origin: { channel } }),
  };
}

/** A call that does not come to a decision now. */
function compareRefusal(call: CallRecord, error: unknown): Comparison {
  const code = getErrorCode(error);
  if (code === call.code) return { outcome: "same", why: `it ends with ${code}, as it did` };
  const excerpts = { recorded: formatEnd(call), now: getErrorMessage(error) };
  return code === "TOOL_VALIDATION"
    ? different("arguments", "its arguments are not valid any more", excerpts)
    : different("decision", "it does not come to a decision any more", excerpts);
}

function compareArguments(call: CallRecord, { params }: Foreseen): Comparison | undefined {
  if (call.code === "TOOL_VALIDATION")
    return different("arguments", "its arguments are valid now", { recorded: formatEnd(call), now: "valid" });
  if (call.decision === undefined)
    return { outcome: "unchecked", why: `it ended before it was decided: ${formatEnd(call)}` };
  if (computeDigest(params) === call.paramsDigest) return undefined;
  const excerpts = firstDifference(call.paramsText, JSON.stringify(params));
  return different("arguments", "its arguments are read in another way", excerpts);
}

/** What rules said then: the record names the rule as JSON, and whoever answered where they said `ask`. */
function compareDecision({ decision }: CallRecord, { verdict }: Foreseen): Comparison | undefined {
  if (decision === undefined) return undefined;
  const byRule = decision.by.startsWith("{") || decision.by === "default";
  const then: Decision = byRule ? decision.decision : "ask";
  if (then === verdict.decision) return undefined;
  const now = `${verdict.decision}, by ${verdict.rule === undefined ? "default" : JSON.stringify(verdict.rule)}`;
  return different("decision", `rules said ${then} and say ${verdict.decision} now`, {
    recorded: `${decision.decision}, by ${decision.by}`,
    now,
  });
}

/** What ends a call from outside says nothing of its result. */
const outsideEnds: ReadonlySet<string> = new Set([
  "TOOL_TIMEOUT",
  "TOOL_BUSY",
  "TOOL_UNRECORDED",
  "TOOL_UNANSWERED",
  "TOOL_WITHHELD",
]);

async function compareResult(
  call: CallRecord,
  foreseen: Foreseen,
  params: unknown,
  context: CallContext,
  { executor }: ReplayOptions,
): Promise<Comparison> {
  const { decision } = foreseen.verdict;
  const asDecided = `it would be decided as it was (${decision})`;
  if (decision === "deny") return { outcome: "same", why: "it would be refused, as it was" };
  if (call.state !== "completed" && (call.state !== "failed" || outsideEnds.has(call.code ?? "")))
    return { outcome: "stands", why: `${asDecided}; it has no result to compare: ${formatEnd(call)}` };
  if (!onlyReads(foreseen))
    return { outcome: "stands", why: `${asDecided}; it may change things, so it is not run again` };
  if (decision === "ask")
    return { outcome: "stands", why: `${asDecided}; nobody is asked again, so it is not run` };
  const result = await executor.run(call.toolName, params, context);
  context.signal?.throwIfAborted();
  // Each run keeps a long output under a name of its own.
  const text =
    result.artifact === undefined || call.artifactId === undefined
      ? result.text
      : result.text.replaceAll(result.artifact.id, call.artifactId);
  return compareText(call, text);
}

function compareText(call: CallRecord, text: string): Comparison {
  const excerpts = firstDifference(call.summary ?? "", text);
  if (call.resultDigest === undefined) {
    if (excerpts.at === undefined)
      return { outcome: "same", why: "its result begins as it did; of so old a call no more is known" };
  } else if (hash("sha256", text) === call.resultDigest)
    return { outcome: "same", why: "it gives the same result" };
  const where =
    excerpts.at === undefined ? "after what the ledger kept of it" : `from character ${excerpts.at + 1} on`;
  return different("result", `its result is another, ${where}`, excerpts);
}

/**
 * All that it was decided to do changes nothing, and its author says that this is all; of a tool that runs commands,
 * the commands say so.
 */
function onlyReads({ tool, composes, effects }: Foreseen): boolean {
  if (composes !== undefined) return false; // Each call that it made has a row of its own.
  const { readOnly, openWorld } = tool.annotations;
  if (effects.length === 0) return readOnly === true && openWorld === false;
  return (readOnly === true || effects.some(({ kind }) => kind === "run")) && effects.every(changesNothing);
}

/** `within` of a command: it is known to change nothing, with exactly these arguments. */
function changesNothing({ kind, within, opaque }: Effect): boolean {
  return kind === "read" || (kind === "run" && within && opaque !== true);
}

function different(what: ReplayDifference, why: string, excerpts: Excerpts): Comparison {
  return { outcome: "different", what, why, ...excerpts };
}

function formatEnd({ state, code }: CallRecord): string {
  return code === undefined ? state : `${state} [${code}]`;
}

function computeDigest(value: unknown): string | undefined {
  try {
    return hash("sha256", canonicalJson(value ?? null));
  } catch {
    return undefined;
  }
}
