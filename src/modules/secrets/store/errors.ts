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
export type SecretErrorCode = (typeof secretErrorCodes)[number];

/** A secret can't be kept or had. Never says anything of its value. */
export class SecretError extends CodedError<SecretErrorCode> {
  override readonly name = "SecretError";
}
