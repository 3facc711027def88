import type { RecordEvent } from "../../../app/index.ts";

/** The session of one tab. */
export interface SessionInfo {
  readonly id: string;
  /** Unix ms; at the latest. It ends sooner after an hour without a request or a stream. */
  readonly endsAt: number;
}

/** The session of a link's code, with the token that every other request shows as `Authorization: Bearer …`. */
export interface NewSession extends SessionInfo {
  readonly token: string;
}

/** The code of a link. `PIN_REQUIRED` and `PIN_WRONG` leave it as it is: it is sent again with the owner's PIN. */
export interface SessionCode {
  readonly code: string;
  readonly pin?: string;
}

/** What the door itself answers, beside the pages' handlers. `POST /session` alone needs no token. */
export interface SessionApi {
  readonly "POST /session": { readonly body: SessionCode; readonly answer: NewSession };
  readonly "GET /session": { readonly answer: SessionInfo };
  readonly "DELETE /session": { readonly answer: { readonly ended: boolean } };
}

/**
 * The data of a message of `GET /stream?after=CURSOR`. The id of the message is the cursor to go on from; without
 * `after` a stream begins with what happens from then on, and its first message has no events. A message of the event
 * `gap` says instead that more happened than this reader could be told: what it shows is to be read anew.
 */
export type StreamData = readonly RecordEvent[];
