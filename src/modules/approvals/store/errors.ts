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

/** One of {@link approvalErrorCodes}. */
export type ApprovalErrorCode = (typeof approvalErrorCodes)[number];

/**
 * A question that cannot be kept or answered: it is unknown, has expired, was answered, or is not this person's to
 * answer.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const fault = await store.approvals
 *   .answer("a_unknown", { approved: true, by: "owner:ada" })
 *   .catch((error: unknown) => error);
 * fault instanceof ApprovalError && fault.code; // → "APPROVAL_NOT_FOUND"
 * ```
 */
export class ApprovalError extends CodedError<ApprovalErrorCode> {
  override readonly name = "ApprovalError";
}
