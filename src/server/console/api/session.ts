/** The session of one tab: what `GET /session` answers. `DELETE /session` ends it. */
export interface SessionInfo {
  readonly id: string;
  /** Unix ms; at the latest. It ends sooner after an hour without a request or a stream. */
  readonly endsAt: number;
}

/**
 * The answer to `POST /session`, which alone needs no token: its body is `{code, pin?}` with the code of a link. Every
 * other request shows the token as `Authorization: Bearer …`. `PIN_REQUIRED` and `PIN_WRONG` leave the code as it is: it
 * is sent again with the owner's PIN.
 */
export interface NewSession extends SessionInfo {
  readonly token: string;
}
