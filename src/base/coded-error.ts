/**
 * An error with a stable, public code. Every error haft throws on purpose is one; each folder has its own
 * table of codes and its own subclass.
 *
 * @example
 * ```ts
 * const fault = new CodedError("OVEN_COLD", "The oven is cold; wait five minutes", { details: { celsius: 20 } });
 * fault.code; // → "OVEN_COLD"
 * fault.details; // → { celsius: 20 }
 * ```
 */
export class CodedError<Code extends string = string> extends Error {
  override readonly name: string = "CodedError";
  readonly code: Code;
  /** Machine-readable facts about the fault: JSON values only, nothing secret. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(code: Code, message: string, options: CodedErrorOptions = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.details = options.details;
  }
}

/** What an error has beside its code and its message. */
export interface CodedErrorOptions {
  readonly cause?: unknown;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** The message of anything that was thrown, whatever it is. Never throws. */
export function getErrorMessage(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message || thrown.name);
    return typeof thrown === "string" ? thrown : describe(thrown);
  } catch {
    return "something was thrown that cannot be read";
  }
}

/** The `code` of anything that was thrown with one, such as `ENOENT`. Never throws. */
export function getErrorCode(thrown: unknown): string | undefined {
  try {
    const code = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
    return typeof code === "string" ? code : undefined;
  } catch {
    return undefined;
  }
}

function describe(thrown: unknown): string {
  try {
    return JSON.stringify(thrown) ?? String(thrown);
  } catch {
    return String(thrown);
  }
}
