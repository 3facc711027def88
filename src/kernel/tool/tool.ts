import type { MaybePromise } from "../../base/index.ts";
import type { CallContext, CheckContext, ToolContext, ToolUpdate } from "../call/context.ts";
import type { ResourceLock } from "../call/resource-locks.ts";
import { ToolError } from "../errors.ts";
import type { PlannedCall } from "../policy/planned-call.ts";
import type { ToolAnnotations } from "./annotations.ts";
import type { Effect } from "./effect.ts";
import type { ParameterSchema, ParametersOf } from "./schema.ts";
import type { ToolCategory, ToolInfo } from "./tool-info.ts";

/** A tool as the registry holds it: a value, complete in itself. */
export interface Tool extends ToolInfo {
  /** The versions of a tool that has several side by side: `withVersions` makes one. */
  readonly versions?: ToolVersions;
  /** How long a call may run. A function sees the arguments. @default the executor's `timeoutMs` (30,000) */
  readonly timeoutMs?: number | ((params: never) => number);
  /**
   * Takes a number for a text parameter: for tools whose values become words of a command line, where models write an
   * issue or a branch of nothing but digits as a number. @default false
   */
  readonly numbersAsText?: boolean;
  /** What this call will do, asked after the arguments are valid and before anything is decided. Absent: nothing that can be named. */
  readonly effects?: (params: never, context: CallContext) => MaybePromise<readonly Effect[]>;
  /**
   * Throws the error that the call would fail with, if it can be known before the call runs. It is called before a person
   * is asked, so that nobody is asked about a call that would fail. It must change nothing and look only at what
   * {@link CheckContext.allows} permits. @default nothing is checked
   */
  readonly check?: (params: never, context: CheckContext) => MaybePromise<void>;
  /** What this call must not overlap with. @default one lock per file effect: readers share, a writer is alone */
  readonly locks?: (params: never, context: CallContext) => readonly ResourceLock[];
  /**
   * Counts a call with those of its pool and not among the executor's calls: for work that is done elsewhere, where
   * one that hangs must not keep the others of this installation waiting. @default none
   */
  readonly pool?: ToolPool | ((params: never) => ToolPool);
  /**
   * The call that a call of this tool stands for. It takes its place before the gate does anything: rules, hooks and
   * ledger see the other tool. Undefined for arguments that name none.
   */
  readonly unwrap?: (params: unknown) => NamedCall | undefined;
  /**
   * It does nothing but call other tools with `context.call`, and rules judge each of those: this call itself only
   * where they name it, its pack, category or origin. A function says beforehand which calls those will be: they are
   * decided together, and one question shows them all.
   */
  readonly composes?: true | ((params: never) => readonly PlannedCall[]);
  /**
   * Does the work: returns a value, or yields progress and partial output and returns the value at the end. It
   * must stop when `context.signal` is aborted, and throws to fail.
   */
  readonly execute: (params: never, context: ToolContext) => ToolOutcome;
}

/** A tool written without `defineTool`; whatever it leaves out defaults to the most cautious value. */
export type PlainTool = Omit<Tool, "category" | "annotations" | "version"> &
  Partial<Pick<Tool, "category" | "annotations" | "version">>;

/** Several versions of one tool, side by side: the one that is shown, and all of them by their names. */
export interface ToolVersions {
  readonly all: ReadonlyMap<string, Tool>;
  /** How many parts of the calls that name no version go to which version. */
  readonly shares: ReadonlyMap<string, number>;
}

/** A call as its caller writes it. */
export interface NamedCall {
  readonly name: string;
  readonly params: unknown;
  /** The handle of an interaction that goes on with this call. */
  readonly toolset?: string;
}

/** Calls that wait for the same thing outside: at most `size` of them run at once. */
export interface ToolPool {
  readonly name: string;
  readonly size: number;
}

/** What `execute` may return: the result, a promise of it, or a generator that yields updates and returns it. */
export type ToolOutcome<Result = unknown> = MaybePromise<Result> | AsyncGenerator<ToolUpdate, Result, void>;

/** A tool as its author writes it; the schema types `execute`, `effects`, `check`, `locks`, `pool` and `timeoutMs`. */
export interface ToolDefinition<Schema extends ParameterSchema, Result>
  extends Omit<
    Tool,
    | "parameters"
    | "category"
    | "annotations"
    | "version"
    | "timeoutMs"
    | "effects"
    | "check"
    | "locks"
    | "pool"
    | "composes"
    | "execute"
  > {
  /** @default "custom" */
  readonly category?: ToolCategory;
  readonly parameters: Schema;
  /** @default {} */
  readonly annotations?: ToolAnnotations;
  /** @default "1" */
  readonly version?: string;
  readonly timeoutMs?: number | ((params: ParametersOf<Schema>) => number);
  readonly effects?: (params: ParametersOf<Schema>, context: CallContext) => MaybePromise<readonly Effect[]>;
  readonly check?: (params: ParametersOf<Schema>, context: CheckContext) => MaybePromise<void>;
  readonly locks?: (params: ParametersOf<Schema>, context: CallContext) => readonly ResourceLock[];
  readonly pool?: ToolPool | ((params: ParametersOf<Schema>) => ToolPool);
  readonly composes?: true | ((params: ParametersOf<Schema>) => readonly PlannedCall[]);
  readonly execute: (params: ParametersOf<Schema>, context: ToolContext) => ToolOutcome<Result>;
}

/** A tool whose author's types are kept, for those who call `execute` themselves or define another tool by it. */
export interface DefinedTool<Schema extends ParameterSchema, Result> extends ToolDefinition<Schema, Result> {
  readonly category: ToolCategory;
  readonly annotations: ToolAnnotations;
  readonly version: string;
}

const namePattern = /^[A-Za-z0-9_-]{1,64}$/;
const noAnnotations: ToolAnnotations = Object.freeze({});

/**
 * Makes a tool of its definition.
 *
 * @throws {ToolError} TOOL_INVALID for a name no model API takes, or an empty description.
 *
 * @example
 * ```ts
 * const greet = defineTool({
 *   name: "greet",
 *   description: "Greet somebody by name.",
 *   parameters: z.object({ name: z.string() }),
 *   annotations: { readOnly: true, openWorld: false },
 *   execute: ({ name }) => `Hello, ${name}`,
 * });
 * const registry = new ToolRegistry();
 * registry.register(greet);
 * const { text } = await new ToolExecutor(registry).run("greet", { name: "Ada" });
 * text; // → "Hello, Ada"
 * ```
 */
export function defineTool<const Schema extends ParameterSchema, Result>(
  definition: ToolDefinition<Schema, Result>,
): DefinedTool<Schema, Result> {
  checkTool(definition);
  return { ...defaults, ...definition };
}

const defaults = Object.freeze({ category: "custom", annotations: noAnnotations, version: "1" });

/**
 * Fills in a tool's missing properties. A complete tool is returned as the same object.
 *
 * @throws {ToolError} TOOL_INVALID
 */
export function completeTool(tool: PlainTool): Tool {
  checkTool(tool);
  if (isComplete(tool)) return tool;
  const { category, annotations, version } = tool;
  return {
    ...tool,
    category: category ?? defaults.category,
    annotations: annotations ?? defaults.annotations,
    version: version ?? defaults.version,
  };
}

function isComplete(tool: PlainTool): tool is Tool {
  return tool.category !== undefined && tool.annotations !== undefined && tool.version !== undefined;
}

/** Throws for a tool that would spoil a list of definitions: model APIs refuse the whole list for one bad name. */
export function checkTool({ name, description }: Pick<Tool, "name" | "description">): void {
  if (!namePattern.test(name)) {
    throw new ToolError(
      name,
      "TOOL_INVALID",
      `Cannot define tool "${name}": a name has 1 to 64 letters, digits, "_" or "-"`,
    );
  }
  if (description.trim() === "") {
    throw new ToolError(name, "TOOL_INVALID", `Cannot define tool "${name}": its description is empty`);
  }
}
