import {
  type Clock,
  CodedError,
  cutHead,
  cutSharedEnd,
  getErrorMessage,
  isRecord,
  type MaybePromise,
} from "../../base/index.ts";
import { ToolTimeoutError } from "../errors.ts";
import type { ArtifactStore } from "../ports/artifacts.ts";
import type { CallSoFar } from "./call.ts";
import type { HookOutcome } from "./hooks.ts";
import { boundOutput, boundText, type Output, type OutputBounds } from "./output.ts";
import type { ArtifactRef, Settled, ToolFailure, ToolResult, ToolSuccess } from "./result.ts";

export interface ResultOptions {
  readonly maxOutputChars: number;
  readonly artifacts: ArtifactStore | undefined;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Error messages are for reading; what is longer is somebody's output. */
const maxErrorChars = 4000;

/** Step 9: the result of a call, free of secrets and within its limit, whatever the tool returned or threw. */
export class ResultStep {
  readonly #options: ResultOptions;

  constructor(options: ResultOptions) {
    this.#options = options;
  }

  toResult(call: CallSoFar, outcome: HookOutcome): MaybePromise<ToolResult> {
    const { redact } = call;
    if (redact !== undefined && call.notes.length > 0)
      call.notes.splice(0, Number.POSITIVE_INFINITY, ...call.notes.map(redact));
    if (!outcome.success) return this.#toFailure(call, outcome.error);
    const { value } = outcome;
    const limit = this.#getLimit(call);
    if (typeof value !== "string" || value.length > limit) return this.#toSuccess(call, value);
    const text = redact?.(value) ?? value;
    if (text.length > limit) return this.#toSuccess(call, value);
    if (call.resultHosts.length > 0) return { success: true, result: text, text, ...this.#settled(call) };
    const { id: callId, toolName, startedAt, notes, resultTrust: trust } = call;
    const completedAt = this.#options.clock.now();
    const durationMs = Math.max(0, completedAt - startedAt);
    // Most results leave here. Spread from `#settled`, this object took a tenth of the time of the whole gate.
    return {
      success: true,
      result: text,
      text,
      callId,
      toolName,
      startedAt,
      completedAt,
      durationMs,
      notes,
      trust,
      private: call.resultIsPrivate,
    };
  }

  async #toSuccess(call: CallSoFar, value: unknown): Promise<ToolSuccess | ToolFailure> {
    try {
      const { text, content, artifact, value: result } = await boundOutput(value, this.#toBounds(call));
      if (artifact !== undefined)
        call.notes.push(`output: ${artifact.chars} characters, kept as ${artifact.id}`);
      return {
        success: true,
        result,
        text,
        ...(content !== undefined && { content }),
        ...(artifact !== undefined && { artifact }),
        ...this.#settled(call),
      };
    } catch (thrown) {
      return this.#toFailure(call, thrown);
    }
  }

  async #toFailure(call: CallSoFar, thrown: unknown): Promise<ToolFailure> {
    const { redact } = call;
    const clean = (text: string) => redact?.(text) ?? text;
    const bounds = this.#toBounds(call);
    const { message, details, ...fault } = readFault(thrown);
    const code = thrown instanceof CodedError ? fault.code : clean(fault.code);
    const error = cutHead(clean(message), Math.min(Math.floor(bounds.maxChars / 2), maxErrorChars));
    const head = `${error} [${code}]`;
    const partial =
      call.partial === ""
        ? undefined
        : await boundText(clean(call.partial), { ...bounds, maxChars: bounds.maxChars - head.length - 20 });
    const late = await readLate(thrown, { ...bounds, maxChars: Math.floor(bounds.maxChars / 2) });
    const kept = late?.artifact ?? partial?.artifact;
    return {
      success: false,
      error,
      code,
      text: [
        head,
        ...(partial === undefined ? [] : outputBeside(partial.text, error)),
        ...(late === undefined ? [] : [`What it returned too late:\n${late.text}`]),
      ].join("\n"),
      ...(details !== undefined && {
        details: {
          ...toDetails(clean(details), bounds.maxChars),
          ...(late !== undefined && { result: late.value }),
        },
      }),
      ...(partial !== undefined && { partial: partial.text }),
      ...(kept !== undefined && { artifact: kept }),
      ...(call.unsettled !== undefined && { stillRunning: true as const }),
      ...this.#settled(call),
    };
  }

  #settled(call: CallSoFar): Omit<Settled, "text" | "artifact"> {
    const { id: callId, toolName, startedAt, notes, resultTrust: trust, resultHosts: hosts } = call;
    const completedAt = this.#options.clock.now();
    const durationMs = Math.max(0, completedAt - startedAt);
    return {
      callId,
      toolName,
      startedAt,
      completedAt,
      durationMs,
      notes,
      trust,
      private: call.resultIsPrivate,
      ...(hosts.length > 0 && { hosts }),
    };
  }

  #getLimit(call: CallSoFar): number {
    return call.maxOutputChars ?? call.tool?.maxOutputChars ?? this.#options.maxOutputChars;
  }

  #toBounds(call: CallSoFar): OutputBounds {
    const { artifacts } = this.#options;
    return {
      toolName: call.toolName,
      maxChars: this.#getLimit(call),
      redact: call.redact,
      keep: artifacts && ((text) => this.#keep(artifacts, call, text)),
    };
  }

  /** The effect has happened: a store that can't take its output costs the rest of it, not the result. */
  async #keep(artifacts: ArtifactStore, call: CallSoFar, data: string): Promise<ArtifactRef | undefined> {
    const { id: callId, scope, resultTrust: trust } = call;
    try {
      return await artifacts.put({ scope, callId, kind: "output", mimeType: "text/plain", trust, data });
    } catch (error) {
      call.notes.push("output: the whole of it could not be kept");
      this.#options.onError(error);
      return undefined;
    }
  }
}

/** What the tool said until it failed, without the end that the error's own message quotes. */
function outputBeside(text: string, error: string): string[] {
  const unquoted = cutSharedEnd(text, error);
  if (unquoted === "") return [];
  return [`Output ${unquoted === text ? "until then" : "before that"}:\n${unquoted}`];
}

/** Limits the output that a tool returned after its deadline; undefined if it returned nothing that can be shown. */
async function readLate(thrown: unknown, bounds: OutputBounds): Promise<Output | undefined> {
  if (!(thrown instanceof ToolTimeoutError) || thrown.late?.value === undefined) return undefined;
  return boundOutput(thrown.late.value, bounds).catch(() => undefined);
}

interface Fault {
  readonly message: string;
  readonly code: string;
  /** JSON. */
  readonly details: string | undefined;
}

/** What can be read of anything that was thrown. */
function readFault(thrown: unknown): Fault {
  try {
    const { code, details } = Object(thrown) as { readonly code?: unknown; readonly details?: unknown };
    return {
      message: getErrorMessage(thrown),
      code: typeof code === "string" ? code : "TOOL_FAILED",
      details: isRecord(details) ? toText(details) : undefined,
    };
  } catch {
    return {
      message: "It failed with an error that cannot be read",
      code: "TOOL_FAILED",
      details: undefined,
    };
  }
}

function toText(details: Record<string, unknown>): string | undefined {
  try {
    return JSON.stringify(details);
  } catch {
    return undefined;
  }
}

function toDetails(json: string, maxChars: number): Readonly<Record<string, unknown>> {
  if (json.length > maxChars) return { leftOut: `${json.length} characters` };
  try {
    return JSON.parse(json) as Record<string, unknown>;
  } catch {
    return { text: json };
  }
}
