import { CodedError, getErrorCode } from "../../base/index.ts";

/** All error codes of the console itself. `docs/reference/errors.md` explains each. */
export const consoleErrorCodes = [
  "CONSOLE_ORIGIN",
  "CONSOLE_PATH",
  "CONSOLE_NOT_FOUND",
  "CONSOLE_METHOD",
  "CONSOLE_INPUT",
  "CONSOLE_TYPE",
  "CONSOLE_TOO_LONG",
  "CONSOLE_LINK",
  "CONSOLE_SESSION",
  "CONSOLE_BUSY",
  "CONSOLE_CHANGED",
  "CONSOLE_NOT_BUILT",
] as const;

/** One of {@link consoleErrorCodes}. */
export type ConsoleErrorCode = (typeof consoleErrorCodes)[number];

/** A request to the console that can't be answered as asked. */
export class ConsoleFault extends CodedError<ConsoleErrorCode> {
  override readonly name = "ConsoleFault";
}

/** HTTP status of each code that pages tell apart. Every other code has status 422. */
const statuses: ReadonlyMap<string, number> = new Map([
  ["CONSOLE_ORIGIN", 403],
  ["CONSOLE_PATH", 400],
  ["CONSOLE_NOT_FOUND", 404],
  ["CONSOLE_METHOD", 405],
  ["CONSOLE_INPUT", 400],
  ["CONSOLE_TYPE", 415],
  ["CONSOLE_TOO_LONG", 413],
  ["CONSOLE_LINK", 401],
  ["CONSOLE_SESSION", 401],
  ["CONSOLE_BUSY", 429],
  ["CONSOLE_CHANGED", 409],
  ["CONSOLE_NOT_BUILT", 503],
  ["APPROVAL_NOT_FOUND", 404],
  ["APPROVAL_NOT_YOURS", 403],
  ["APPROVAL_NOT_OFFERED", 400],
  ["APPROVAL_CHANGED", 409],
  ["APPROVAL_ANSWERED", 409],
  ["APPROVAL_EXPIRED", 409],
  // Not 401, which ends the session in the browser.
  ["PIN_REQUIRED", 403],
  ["PIN_WRONG", 403],
  ["PIN_LOCKED", 429],
  ["RECORDS_FAILED", 503],
  ["STORE_BUSY", 503],
  ["STORE_CLOSED", 503],
]);

/** The HTTP status of an error. Undefined for an error without a code, which is a fault of haft. */
export function findStatus(thrown: unknown): number | undefined {
  const code = thrown instanceof CodedError ? getErrorCode(thrown) : undefined;
  return code === undefined ? undefined : (statuses.get(code) ?? 422);
}
