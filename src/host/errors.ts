import { CodedError } from "../base/index.ts";

/** Every code that the host's hands fail with. `docs/reference/errors.md` explains each. */
export const hostErrorCodes = [
  "CONNECT_URL",
  "CONNECT_HEADER",
  "CONNECT_DENIED",
  "CONNECT_BLOCKED",
  "CONNECT_FAILED",
  "CONNECT_REDIRECTS",
  "RESPONSE_TOO_LARGE",
  "LISTEN_BUSY",
  "LISTEN_FAILED",
  "PATH_INVALID",
  "PATH_NO_BASE",
  "PATH_LINK_LOOP",
  "PATH_DANGLING",
  "PATH_SPECIAL",
  "PATH_OUTSIDE",
  "PATH_PROTECTED",
  "PATH_CHANGED",
  "FILE_NOT_FOUND",
  "FILE_EXISTS",
  "FILE_IS_FOLDER",
  "FILE_NOT_FOLDER",
  "FILE_PERMISSION",
  "FILE_CHANGED",
  "FILE_TOO_LARGE",
  "FILE_FAILED",
  "FOLDER_NOT_EMPTY",
  "FOLDER_TOO_LARGE",
  "DISK_FULL",
  "SEARCH_PATTERN",
  "SEARCH_FAILED",
  "PROCESS_FOLDER",
  "PROCESS_NOT_FOUND",
  "PROCESS_NOT_EXECUTABLE",
  "PROCESS_ARGUMENTS",
  "PROCESS_NOT_STARTED",
  "PROCESS_NOT_STOPPED",
  "PROCESS_LOST",
  "SANDBOX_REFUSED",
  "SNAPSHOT_FAILED",
  "ENVIRONMENT_NAME",
  "ENVIRONMENT_VALUE",
  "ENVIRONMENT_HIDDEN",
  "ENVIRONMENT_FIXED",
] as const;

/** One of {@link hostErrorCodes}. */
export type HostErrorCode = (typeof hostErrorCodes)[number];

/**
 * The machine refused, or the bounds of the call did. `message` says what to do about it.
 *
 * @example
 * ```ts
 * const fault = await openListener({ host: "256.0.0.1", port: 0, handler: () => undefined }).catch(
 *   (error: unknown) => error,
 * );
 * fault instanceof HostError && fault.code; // → "LISTEN_FAILED"
 * ```
 */
export class HostError extends CodedError<HostErrorCode> {
  override readonly name: string = "HostError";
}
