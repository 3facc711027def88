import { CodedError } from "../../base/index.ts";

/** Every code that a data tool fails with. `docs/reference/errors.md` explains each. */
export const dataErrorCodes = [
  "JSON_INVALID",
  "JSON_DEPTH",
  "JSON_VALUE",
  "BASE64_INVALID",
  "TEXT_INVALID",
] as const;
export type DataErrorCode = (typeof dataErrorCodes)[number];

/** Data that is not what it was said to be. */
export class DataError extends CodedError<DataErrorCode> {
  override readonly name: string = "DataError";
}
