import { CodedError } from "../base/index.ts";
import type {
  ArtifactRef,
  ContentBlock,
  ToolFailure,
  ToolProgress,
  ToolResult,
  ToolUpdate,
  Trust,
} from "../kernel/index.ts";

/** A result as the adapters hand it to a framework: a JSON value, which it may store and show. */
export interface AgentToolOutput {
  /** haft's id of the call, as in `haft audit`. */
  readonly callId?: string;
  /** The outcome as the model reads it; of a call that still runs, its output so far. */
  readonly text: string;
  /** Set if the result has more than text. */
  readonly parts?: readonly OutputPart[];
  /** Whether somebody outside could have written it. */
  readonly trust?: Trust;
  /** What the gate did that the caller should know: each repaired argument, a cut output. */
  readonly notes?: readonly string[];
  /** The artifact that holds the whole output, if it was over the limit. */
  readonly artifact?: ArtifactRef;
  /** Set while the call still runs. */
  readonly progress?: Omit<ToolProgress, "type">;
}

/** A part of a result: text, or a picture or another file in base64. */
export type OutputPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly mediaType: string; readonly data: string };

/**
 * A call that failed or was refused: its message is the text for the model, its code the gate's or the tool's.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * const failure = await new ToolExecutor(registry).run("nothing", {}, { callId: "c1" });
 * const error = failure.success ? undefined : new FailedCallError(failure);
 * error?.code; // → "TOOL_NOT_FOUND"
 * error?.callId; // → "c1"
 * ```
 */
export class FailedCallError extends CodedError {
  override readonly name = "FailedCallError";
  readonly callId: string;

  constructor({ code, text, details, callId }: ToolFailure) {
    super(code, text, { details });
    this.callId = callId;
  }
}

/** @throws {FailedCallError} for a call that failed. */
export function toOutput(result: ToolResult): AgentToolOutput {
  if (!result.success) throw new FailedCallError(result);
  return describeResult(result);
}

export function describeResult(result: ToolResult): AgentToolOutput {
  const { callId, text, trust, notes, artifact } = result;
  const blocks = result.success ? result.content : undefined;
  const hasFiles = blocks?.some(({ type }) => type !== "text") === true;
  return {
    callId,
    text,
    ...(hasFiles && { parts: blocks.map(toPart) }),
    trust,
    ...(notes.length > 0 && { notes }),
    ...(artifact !== undefined && { artifact }),
  };
}

/** All parts of an output, its text as one of them. */
export function listParts({ text, parts }: AgentToolOutput): readonly OutputPart[] {
  return parts ?? [{ type: "text", text }];
}

function toPart(block: ContentBlock): OutputPart {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
    case "audio":
      return { type: "file", mediaType: block.mimeType, data: block.data };
    case "resource": {
      const { uri, text, blob, mimeType = "application/octet-stream" } = block.resource;
      if (blob !== undefined) return { type: "file", mediaType: mimeType, data: blob };
      return { type: "text", text: text ?? `[resource: ${uri}]` };
    }
    case "resource_link":
      return { type: "text", text: `[resource: ${block.name} ${block.uri}]` };
    default:
      return block satisfies never;
  }
}

/** Sums up the updates of one call. */
export class RunningOutput {
  #text = "";

  add(update: ToolUpdate): AgentToolOutput {
    if (update.type === "output") {
      this.#text += update.text;
      return { text: this.#text };
    }
    const { type: _type, ...progress } = update;
    return { text: this.#text, progress };
  }
}
