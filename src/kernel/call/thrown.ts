import { getErrorCode, getErrorMessage } from "../../base/index.ts";

/** Whether a fault stays whatever the arguments will be. */
export function isFinal(thrown: unknown): boolean {
  return finalCodes.has(getErrorCode(thrown) ?? "");
}

const finalCodes: ReadonlySet<string> = new Set(["TOOL_NOT_CALLABLE", "TOOL_QUARANTINED", "TOOL_CANCELLED"]);

export function toError(thrown: unknown): Error {
  return isError(thrown) ? thrown : new Error(getErrorMessage(thrown));
}

function isError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error;
  } catch {
    return false; // A proxy that does not say what it is.
  }
}

export function neverThrowing(onError: ((error: unknown) => void) | undefined): (error: unknown) => void {
  return (error) => {
    try {
      onError?.(error);
    } catch {} // There is nobody left to tell.
  };
}
