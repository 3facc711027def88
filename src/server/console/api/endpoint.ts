/** What one endpoint takes and answers. All of it is JSON; a field that is undefined is left out. */
export interface Endpoint {
  /** Texts in the address. @default none */
  readonly query?: object;
  /** The JSON of a POST. @default none */
  readonly body?: object;
  readonly answer: unknown;
}

/** The answer to a request that failed. */
export interface ApiFault {
  /** The thing, the rule and the remedy. */
  readonly error: string;
  /** One of the codes of `docs/reference/errors.md`. */
  readonly code: string | undefined;
}
