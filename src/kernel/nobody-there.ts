/**
 * Rejected with by an approver where no person has seen its question, whatever answered it: the question stays open,
 * and counts against nobody. The message says what happened.
 */
export class NobodyThereError extends Error {
  override readonly name = "NobodyThereError";
}
