import { CodedError, type CodedErrorOptions, getErrorCode } from "../base/index.ts";

/** Every code a tool call can fail with by the kernel's own doing. `docs/reference/errors.md` explains each. */
export const toolErrorCodes = [
  "TOOL_NOT_FOUND",
  "TOOL_NOT_CALLABLE",
  "TOOL_DUPLICATE",
  "TOOL_INVALID",
  "TOOL_QUARANTINED",
  "TOOL_VALIDATION",
  "TOOL_BLOCKED",
  "TOOL_WITHHELD",
  "TOOL_PERMISSION",
  "TOOL_BUSY",
  "TOOL_TIMEOUT",
  "TOOL_CANCELLED",
  "TOOL_UNANSWERED",
  "TOOL_FAILED",
  "TOOL_STEP_FAILED",
  "TOOL_OUTPUT",
  "TOOL_UNRECORDED",
  "TOOL_UNKNOWN",
  "ARTIFACT_NOT_FOUND",
  "SECRET_UNDECLARED",
  "SECRET_NOT_FOUND",
] as const;

/** One of {@link toolErrorCodes}. */
export type ToolErrorCode = (typeof toolErrorCodes)[number];

/** Error codes of conversions for model APIs. */
export const targetErrorCodes = ["TARGET_UNKNOWN", "TARGET_NO_FORMAT"] as const;

/** One of {@link targetErrorCodes}. */
export type TargetErrorCode = (typeof targetErrorCodes)[number];

/**
 * Thrown for a model API that tools cannot be converted for.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * try {
 *   registry.toLLMTools("cobol" as LLMTarget);
 * } catch (error) {
 *   (error as TargetError).code; // → "TARGET_UNKNOWN"
 * }
 * ```
 */
export class TargetError extends CodedError<TargetErrorCode> {
  override readonly name: string = "TargetError";
}

/**
 * A fault of one tool call. `code` is stable; `message` says what to do about it.
 *
 * @example
 * ```ts
 * const execute = async () => {
 *   throw new ToolError("weather", "TOOL_FAILED", "The station does not answer; try again in a minute");
 * };
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "weather",
 *     description: "Tell the weather.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute,
 *   }),
 * );
 * const result = await new ToolExecutor(registry).run("weather", {});
 * result.success || result.code; // → "TOOL_FAILED"
 * ```
 */
export class ToolError extends CodedError<ToolErrorCode> {
  override readonly name: string = "ToolError";
  readonly toolName: string;

  constructor(toolName: string, code: ToolErrorCode, message: string, options: CodedErrorOptions = {}) {
    super(code, message, options);
    this.toolName = toolName;
  }
}

/**
 * No tool of that name, or this caller may not call it. `details.nearest` has the names that come close.
 *
 * @example
 * ```ts
 * const executor = new ToolExecutor(new ToolRegistry());
 * const fault = await executor.foresee("nothing", {}).catch((error: unknown) => error);
 * fault instanceof ToolNotFoundError; // → true
 * ```
 */
export class ToolNotFoundError extends ToolError {
  override readonly name = "ToolNotFoundError";

  /** @param how a caller comes by the nearest that it is not shown */
  constructor(toolName: string, nearest: readonly string[], how?: string) {
    const hint =
      nearest.length > 0
        ? `; did you mean ${nearest.map((name) => `"${name}"`).join(" or ")}`
        : "; list the tools for the names";
    const loading = how === undefined ? "" : `; ${how}`;
    super(toolName, "TOOL_NOT_FOUND", `Cannot find tool "${toolName}"${hint}${loading}`, {
      details: { nearest },
    });
  }
}

/**
 * The arguments do not fit the parameters. `details.issues` has every {@link ValidationIssue}.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "add",
 *     description: "Add.",
 *     parameters: z.object({ a: z.number() }),
 *     execute: ({ a }) => a,
 *   }),
 * );
 * const fault = await new ToolExecutor(registry).foresee("add", { a: "one" }).catch((error: unknown) => error);
 * fault instanceof ToolValidationError; // → true
 * ```
 */
export class ToolValidationError extends ToolError {
  override readonly name = "ToolValidationError";

  constructor(toolName: string, message: string, options: CodedErrorOptions = {}) {
    super(toolName, "TOOL_VALIDATION", message, options);
  }
}

/**
 * A before-hook refused the call, or could not answer and may not be passed over.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({ name: "send", description: "Send it.", parameters: z.object({}), execute: () => "sent" }),
 * );
 * const hooks: Hook[] = [{ name: "quiet hours", before: () => ({ block: "not at night" }) }];
 * const result = await new ToolExecutor(registry, { hooks }).run("send", {});
 * result.success || result.code; // → "TOOL_BLOCKED"
 * ```
 */
export class ToolBlockedError extends ToolError {
  override readonly name = "ToolBlockedError";

  constructor(toolName: string, message: string, options: CodedErrorOptions = {}) {
    super(toolName, "TOOL_BLOCKED", message, options);
  }
}

/**
 * An after-hook withheld the result, or could not answer and may not be passed over. The tool has run: its effect has
 * happened, or, with `details.failed`, the code it failed with, may have.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "read_mail",
 *     description: "Read a mail.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute: () => "private",
 *   }),
 * );
 * const hooks: Hook[] = [{ name: "privacy", after: () => ({ block: "it is private" }) }];
 * const result = await new ToolExecutor(registry, { hooks }).run("read_mail", {});
 * result.success || result.code; // → "TOOL_WITHHELD"
 * ```
 */
export class ToolWithheldError extends ToolError {
  override readonly name = "ToolWithheldError";

  constructor(
    toolName: string,
    why: string,
    came: { readonly success: true } | { readonly success: false; readonly error: Error },
  ) {
    const done = came.success ? "the call itself was done" : "it failed, and may have been done in part";
    const failed = came.success ? undefined : (getErrorCode(came.error) ?? "TOOL_FAILED");
    super(
      toolName,
      "TOOL_WITHHELD",
      `Cannot show what "${toolName}" returned: ${why}; ${done}, so do not repeat it for its effect`,
      failed === undefined ? {} : { details: { failed } },
    );
  }
}

/**
 * A rule denied the call, or the person who was asked did, or there was nobody to ask.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "send",
 *     description: "Send it.",
 *     parameters: z.object({}),
 *     execute: async (_params, { call }) => call("publish", {}),
 *   }),
 * );
 * const rules: Rule[] = [{ decision: "deny", tool: "send", reason: "not on Sundays" }];
 * const result = await new ToolExecutor(registry, { rules }).run("send", {});
 * result.success || result.code; // → "TOOL_PERMISSION"
 * ```
 */
export class ToolPermissionError extends ToolError {
  override readonly name = "ToolPermissionError";

  constructor(toolName: string, message: string, options: CodedErrorOptions = {}) {
    super(toolName, "TOOL_PERMISSION", message, options);
  }
}

/**
 * Too many calls wait already, or this one waited too long for its turn. Nothing was run: it may be tried again.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "wait",
 *     description: "Wait.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute: () => new Promise((done) => setTimeout(done, 50)),
 *   }),
 * );
 * const executor = new ToolExecutor(registry, { maxConcurrent: 1, maxWaiting: 0 });
 * const [, second] = await Promise.all([executor.run("wait", {}), executor.run("wait", {})]);
 * second.success || second.code; // → "TOOL_BUSY"
 * ```
 */
export class ToolBusyError extends ToolError {
  override readonly name = "ToolBusyError";

  constructor(toolName: string, message: string, options: CodedErrorOptions = {}) {
    super(toolName, "TOOL_BUSY", message, options);
  }
}

/**
 * The deadline passed. The tool was told to stop; the result of the call says whether anything may still be running.
 * A tool that finished while it was being stopped is too late as well: `late` is what it returned.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "wait",
 *     description: "Wait.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     timeoutMs: 10,
 *     execute: (_params, { signal }) => new Promise((done) => signal.addEventListener("abort", done)),
 *   }),
 * );
 * const result = await new ToolExecutor(registry).run("wait", {});
 * result.success || result.code; // → "TOOL_TIMEOUT"
 * ```
 */
export class ToolTimeoutError extends ToolError {
  override readonly name = "ToolTimeoutError";
  readonly timeoutMs: number;
  readonly late: { readonly value: unknown } | undefined;

  constructor(toolName: string, timeoutMs: number, late?: { readonly value: unknown }) {
    const happened =
      late === undefined
        ? `it was stopped at its deadline of ${timeoutMs} ms`
        : `it finished only after its deadline of ${timeoutMs} ms, so what it does is done; do not repeat it for its effect`;
    super(
      toolName,
      "TOOL_TIMEOUT",
      `Cannot finish "${toolName}": ${happened}; ask for less, or raise the timeout`,
      { details: { timeoutMs } },
    );
    this.timeoutMs = timeoutMs;
    this.late = late;
  }

  /** The same fault of a tool that gave its result after all, too late. */
  finishedWith(value: unknown): ToolTimeoutError {
    return new ToolTimeoutError(this.toolName, this.timeoutMs, { value });
  }
}

/**
 * The caller gave up on the call. `cause` is the reason of its signal.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "wait",
 *     description: "Wait.",
 *     parameters: z.object({}),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute: (_params, { signal }) =>
 *       new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
 *   }),
 * );
 * const result = await new ToolExecutor(registry).run("wait", {}, { signal: AbortSignal.timeout(20) });
 * result.success || result.code; // → "TOOL_CANCELLED"
 * ```
 */
export class ToolCancelledError extends ToolError {
  override readonly name = "ToolCancelledError";

  /** @param options.by who cancelled the call @default its caller */
  constructor(
    toolName: string,
    { by, ...options }: CodedErrorOptions & { readonly by?: string | undefined } = {},
  ) {
    const who = by ?? "its caller";
    super(toolName, "TOOL_CANCELLED", `Cannot finish "${toolName}": ${who} cancelled it`, options);
  }
}
