import { CodedError } from "../base/index.ts";

/** Why a schema cannot be used. `docs/reference/errors.md` explains each. */
export const schemaErrorCodes = [
  "SCHEMA_INVALID",
  "SCHEMA_DIALECT",
  "SCHEMA_PATTERN",
  "SCHEMA_REFERENCE",
  "SCHEMA_TOO_LARGE",
] as const;

/** One of {@link schemaErrorCodes}. */
export type SchemaErrorCode = (typeof schemaErrorCodes)[number];

/**
 * A raw JSON Schema that cannot be compiled. The tool that carries it is quarantined; others are not touched.
 *
 * @example
 * ```ts
 * try {
 *   compileJsonSchema({ type: "numbre" });
 * } catch (error) {
 *   (error as SchemaError).code; // → "SCHEMA_INVALID"
 * }
 * ```
 */
export class SchemaError extends CodedError<SchemaErrorCode> {
  override readonly name = "SchemaError";
}
