import { CodedError } from "../../base/index.ts";

/** Why an extension, or a call of one of its tools, came to nothing. `docs/reference/errors.md` explains each. */
export const extensionErrorCodes = [
  "EXTENSION_INVALID",
  "EXTENSION_LOAD",
  "EXTENSION_UNMET",
  "EXTENSION_ENDED",
  "EXTENSION_RESTING",
  "EXTENSION_PROTOCOL",
  "EXTENSION_TOO_LARGE",
] as const;

/** One of {@link extensionErrorCodes}. */
export type ExtensionErrorCode = (typeof extensionErrorCodes)[number];

/** The worker of an extension did not do as it must; what its tools throw themselves is none of these. */
export class ExtensionError extends CodedError<ExtensionErrorCode> {
  override readonly name = "ExtensionError";
}
