import { CodedError } from "../../base/index.ts";

/** Why texts could not be embedded on this machine. `docs/reference/errors.md` explains each. */
export const embedErrorCodes = [
  "EMBED_PACKAGE",
  "EMBED_MODEL",
  "EMBED_TIMEOUT",
  "EMBED_FAILED",
  "EMBED_CLOSED",
] as const;

/** One of {@link embedErrorCodes}. */
export type EmbedErrorCode = (typeof embedErrorCodes)[number];

/**
 * A fault of a model that runs here. Nothing but the vectors that were asked for is lost by it.
 *
 * @example
 * ```ts
 * try {
 *   openTransformersModel({ folder: "/no/model/is/here" });
 * } catch (error) {
 *   error instanceof EmbedError; // → true
 * }
 * ```
 */
export class EmbedError extends CodedError<EmbedErrorCode> {
  override readonly name = "EmbedError";
}

export function closed(): EmbedError {
  return new EmbedError("EMBED_CLOSED", "Cannot embed texts: the embedder is closed; open another one");
}
