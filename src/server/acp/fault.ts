import { getErrorCode, getErrorMessage } from "../../base/index.ts";

/** The data and the message of a protocol error, with haft's own code in both. */
export function describeFault(thrown: unknown): [{ code: string }, string] {
  const code = getErrorCode(thrown) ?? "INTERNAL";
  return [{ code }, `${getErrorMessage(thrown)} [${code}]`];
}
