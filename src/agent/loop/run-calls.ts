import { type CallContext, findExitCode, type ToolExecutor, type ToolResult } from "../../kernel/index.ts";
import type { ImagePart } from "../../model/index.ts";
import {
  formatWait,
  type NewEntry,
  type ParkedEntry,
  type ResultEntry,
} from "../../modules/sessions/index.ts";
import type { AgentEvent } from "./events.ts";
import type { AskedCall } from "./read-run.ts";
import { readInput } from "./seen-entries.ts";

/** What is needed to make calls. */
export interface CallParts {
  readonly executor: Pick<ToolExecutor, "run">;
  /** The arguments as the tool takes them, of those that the model gave in its own form. */
  readonly readArguments: (toolName: string, given: unknown) => unknown;
  /** The id under which the call is made, if it differs from its own. */
  readonly madeAs?: string;
  /** Whether a call is parked while nobody has answered its question. */
  readonly mayPark: boolean;
  /** The context of every call of the run. */
  readonly context: CallContext;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  /** The reason why a tool that the model was shown can't be found. @default it is not known */
  readonly explainGone?: (toolName: string) => string | undefined;
}

/** What became of a call: its result or that it is parked, and what the gate said. */
export interface MadeCall {
  readonly entry: NewEntry & (ResultEntry | ParkedEntry);
  readonly result: ToolResult;
}

/** Makes one call through the gate. Never rejects. */
export async function runCall(
  call: AskedCall,
  { executor, readArguments, madeAs = call.callId, mayPark, context, signal, emit, explainGone }: CallParts,
): Promise<MadeCall> {
  const { callId, name, input } = call;
  emit({ type: "call.began", callId, name, input });
  const result = await executor.run(name, readArguments(name, readInput(input)), {
    ...context,
    callId: madeAs,
    keepOutcome: true,
    signal,
    onUpdate: (update) => emit({ type: "call.updated", callId, update }),
  });
  const question = mayPark ? findOpenQuestion(result) : undefined;
  if (question !== undefined) {
    const waitFor = formatWait({ for: "approval", id: question });
    emit({ type: "call.parked", callId, name, waitFor });
    return { entry: { kind: "parked", callId, waitFor }, result };
  }
  const shown = toResult(callId, name, result);
  const why = shown.code === "TOOL_NOT_FOUND" ? explainGone?.(result.toolName) : undefined;
  const text = why === undefined ? shown.text : `Cannot call "${result.toolName}": ${why}. ${goneHint}`;
  const entry = { ...shown, text, trust: result.trust, private: result.private };
  emit({ type: "call.ended", callId, result: entry });
  return { entry, result };
}

const goneHint = "It may come back, and you are told if it does; until then do without it.";

/** The id of the question that a call was refused for because nobody has answered it yet. */
function findOpenQuestion(result: ToolResult): string | undefined {
  if (result.success || result.code !== "TOOL_PERMISSION") return undefined;
  const id = result.details?.["approval"];
  return typeof id === "string" ? id : undefined;
}

function toResult(callId: string, name: string, result: ToolResult): ResultEntry {
  const { text, notes, artifact, hosts } = result;
  const images = result.success ? listImages(result.content ?? []) : [];
  const exitCode = findExitCode(result);
  const noted = notes.map((note) => `(${note})\n`).join("");
  return {
    kind: "result",
    callId,
    name,
    text: noted + text,
    failed: !result.success,
    ...(noted !== "" && { notesLength: noted.length }),
    ...(exitCode !== undefined && { exitCode }),
    ...(images.length > 0 && { images }),
    ...(!result.success && { code: result.code }),
    ...(artifact !== undefined && { artifactId: artifact.id }),
    ...(hosts !== undefined && { hosts }),
  };
}

function listImages(content: Extract<ToolResult, { success: true }>["content"]): readonly ImagePart[] {
  return (content ?? []).flatMap((block) =>
    block.type === "image" ? [{ type: "image" as const, mimeType: block.mimeType, data: block.data }] : [],
  );
}
