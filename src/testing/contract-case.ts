/**
 * One rule that every implementation of a port keeps. `run` rejects with an AssertionError where the subject does
 * not; it expects a subject of its own that holds nothing yet.
 */
export interface ContractCase<Subject> {
  /** A sentence that begins with the method. */
  readonly name: string;
  readonly run: (subject: Subject) => Promise<void>;
}
