import { isRecord } from "../../base/index.ts";
import type { Trust } from "../policy/trust.ts";
import type { ContentBlock } from "../tool/content.ts";

/** What became of one call. */
export type ToolResult<Result = unknown> = ToolSuccess<Result> | ToolFailure;

export interface Settled {
  readonly callId: string;
  readonly toolName: string;
  /** Unix ms; from the first step of the gate. */
  readonly startedAt: number;
  /** Unix ms. */
  readonly completedAt: number;
  readonly durationMs: number;
  /** What the gate did that the caller should know: each repaired argument, a changed input, a cut output. */
  readonly notes: readonly string[];
  /** The outcome as the model reads it, within the output limit. */
  readonly text: string;
  /** Whether somebody outside could have written it. */
  readonly trust: Trust;
  /** Whether it may hold what was read or worked out on this machine. */
  readonly private: boolean;
  /** The hosts that the call, or a call within it, connected to. @default none */
  readonly hosts?: readonly string[];
  /** The whole output, if it was over the limit. */
  readonly artifact?: ArtifactRef;
}

/** The result of a call that did what it was asked to. */
export interface ToolSuccess<Result = unknown> extends Settled {
  readonly success: true;
  /** What the tool returned; where that was over the output limit, `text` again, and `artifact` is set. */
  readonly result: Result;
  /** Set if the tool returned {@link ToolContent}: all blocks, text within the limit. */
  readonly content?: readonly ContentBlock[];
}

/** The result of a call that failed or was refused; `code` is stable, `error` is for the model to read. */
export interface ToolFailure extends Settled {
  readonly success: false;
  readonly error: string;
  /** A code of the kernel's table or, for a fault the tool met, of the table of the folder that found it. */
  readonly code: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** The tool did not stop when told to: what it does may still happen. */
  readonly stillRunning?: true;
  /** What it had put out by then, within the output limit. */
  readonly partial?: string;
}

/** A reference to the whole of an output that was over the limit. */
export interface ArtifactRef {
  readonly id: string;
  /** Characters of the whole. */
  readonly chars: number;
}

/** The exit code of the command that a call ran; undefined where none ran to its end. */
export function findExitCode(result: ToolResult): number | undefined {
  const data = result.success ? result.result : undefined;
  const code = isRecord(data) ? data["exit_code"] : !result.success && result.details?.["exitCode"];
  return typeof code === "number" ? code : undefined;
}
