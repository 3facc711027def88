/**
 * Thrown by an approver if no person has seen its question, even if a program answered. The question stays open and
 * does not count as a refusal. The message says what happened.
 */
export class NobodyThereError extends Error {
  override readonly name = "NobodyThereError";
}
