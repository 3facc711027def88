export { SelectionError, type SelectionErrorCode, selectionErrorCodes } from "./errors.ts";
export { selectionTools } from "./selection-tools.ts";
export type { PackList, SelectionServices, ToolFinder } from "./services.ts";
