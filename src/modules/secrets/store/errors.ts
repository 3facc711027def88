import { CodedError } from "../../../base/index.ts";

/** Every code that keeping secrets fails with, beside the store's. `docs/reference/errors.md` explains each. */
export const secretErrorCodes = [
  "SECRET_NAME",
  "SECRET_VALUE",
  "SECRET_FULL",
  "SECRET_UNKNOWN",
  "SECRET_TAMPERED",
  "SECRET_KEY_MISSING",
  "SECRET_KEY_WRONG",
  "SECRET_KEY_UNSAFE",
  "SECRET_KEYRING",
] as const;

/** One of {@link secretErrorCodes}. */
export type SecretErrorCode = (typeof secretErrorCodes)[number];

/**
 * A secret cannot be kept or read. Nothing of its value is said.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const fault = await store.secrets.set("local", "API_KEY", "s3cr3t-of-ada").catch((error: unknown) => error);
 * fault instanceof SecretError && fault.code; // → "SECRET_KEY_MISSING"
 * ```
 */
export class SecretError extends CodedError<SecretErrorCode> {
  override readonly name = "SecretError";
}
