import { CodedError } from "../../../base/index.ts";

/** Every code that a tool for finding tools fails with. `docs/reference/errors.md` explains each. */
export const selectionErrorCodes = ["CATEGORY_NOT_FOUND", "TOOL_NOT_LOADED", "CALL_WRAPPED"] as const;
export type SelectionErrorCode = (typeof selectionErrorCodes)[number];

/** A tool or a category that is not there, or not for this caller. */
export class SelectionError extends CodedError<SelectionErrorCode> {
  override readonly name: string = "SelectionError";
}
