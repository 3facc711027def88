import { CodedError } from "../../../base/index.ts";

/** Every code that answering a question fails with, beside the store's. `docs/reference/errors.md` explains each. */
export const approvalErrorCodes = [
  "APPROVAL_NOT_FOUND",
  "APPROVAL_EXPIRED",
  "APPROVAL_ANSWERED",
  "APPROVAL_NOT_YOURS",
  "APPROVAL_NOT_OFFERED",
  "APPROVAL_CHANGED",
  "APPROVAL_FULL",
] as const;
export type ApprovalErrorCode = (typeof approvalErrorCodes)[number];

/** A question can't be kept or answered so. */
export class ApprovalError extends CodedError<ApprovalErrorCode> {
  override readonly name = "ApprovalError";
}
