export { compileJsonSchema } from "./compile.ts";
export { SchemaError, type SchemaErrorCode, schemaErrorCodes } from "./errors.ts";
