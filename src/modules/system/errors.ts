import { CodedError } from "../../base/index.ts";

/** Every code that a system tool fails with by its own doing; the codes of kernel and host pass through. */
export const systemToolErrorCodes = ["ARTIFACT_PATTERN"] as const;
export type SystemToolErrorCode = (typeof systemToolErrorCodes)[number];

/** A system tool was given something it can't work with. */
export class SystemToolError extends CodedError<SystemToolErrorCode> {
  override readonly name: string = "SystemToolError";
}
