/** The types of one endpoint. Body and answer are JSON, in which undefined fields are left out. */
export interface Endpoint {
  /** Fields of the query, which are texts. @default none */
  readonly query?: object;
  /** The body of a POST. @default none */
  readonly body?: object;
  readonly answer: unknown;
}

/** The answer to a request that failed. */
export interface ApiFault {
  /** A message that says what failed, why, and what to do. */
  readonly error: string;
  /** A code of `docs/reference/errors.md`; undefined for a fault of haft. */
  readonly code: string | undefined;
}
