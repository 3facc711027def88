export { dataTools } from "./data-tools.ts";
export { DataError, type DataErrorCode, dataErrorCodes } from "./errors.ts";
