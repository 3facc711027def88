/** The session of a tab, as `GET /session` answers it. `DELETE /session` ends it. */
export interface SessionInfo {
  readonly id: string;
  /** Its latest end, in Unix ms. It ends sooner after an hour without a request or a stream. */
  readonly endsAt: number;
}

/**
 * The answer to `POST /session`, the only request that needs no token. Its body is `{code, pin?}` with the code of a link.
 * Every other request has the token as `Authorization: Bearer …`. After `PIN_REQUIRED` and `PIN_WRONG` the code is still
 * valid, and is sent again with the owner's PIN.
 */
export interface NewSession extends SessionInfo {
  readonly token: string;
}
