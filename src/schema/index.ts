// A compiler of raw JSON Schema.
export { compileJsonSchema } from "./compile.ts";
export { SchemaError, type SchemaErrorCode, schemaErrorCodes } from "./errors.ts";
