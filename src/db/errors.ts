import { CodedError } from "../base/index.ts";

/** Every code the store fails with. `docs/reference/errors.md` explains each. */
export const storeErrorCodes = [
  "STORE_UNAVAILABLE",
  "STORE_READ_ONLY",
  "STORE_FOREIGN",
  "STORE_NEWER",
  "STORE_CORRUPT",
  "STORE_FULL",
  "STORE_BUSY",
  "STORE_IO",
  "STORE_CLOSED",
  "STORE_FAILED",
  "STORE_TOO_LARGE",
  "STORE_NOT_TEXT",
] as const;

/** One of {@link storeErrorCodes}. */
export type StoreErrorCode = (typeof storeErrorCodes)[number];

/**
 * A fault of the store. What was acknowledged before it is still there; what failed has left nothing behind.
 *
 * @example
 * ```ts
 * import { writeFileSync } from "node:fs";
 * writeFileSync("notes.db", "This is no database.");
 * const fault = await openStore({ path: "notes.db" }).catch((error: unknown) => error);
 * fault instanceof StoreError && fault.code; // → "STORE_CORRUPT"
 * ```
 */
export class StoreError extends CodedError<StoreErrorCode> {
  override readonly name = "StoreError";
}
