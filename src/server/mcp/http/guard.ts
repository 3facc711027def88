import { hash } from "node:crypto";
import { createOriginCheck, type OriginCheck, type OriginRules } from "../../../host/index.ts";
import { readBearerToken } from "../../http/bearer-token.ts";
import type { HttpRequest } from "../../http/port.ts";

export interface GuardOptions {
  /** Undefined: something in front of the endpoint has checked `Host` and `Origin`. */
  readonly origins: OriginRules | undefined;
  /** The token, or a name for each of several; undefined: nobody has to show one. */
  readonly tokens: string | ReadonlyMap<string, string> | undefined;
}

/** A request that is refused before it is read. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Record<string, string>;
}

/** Decides who may speak at all. */
export class HttpGuard {
  readonly #check: OriginCheck | undefined;
  readonly #principals: ReadonlyMap<string, string> | undefined;

  constructor({ origins, tokens }: GuardOptions) {
    this.#check = origins === undefined ? undefined : createOriginCheck(origins);
    if (tokens === undefined) return;
    const named = typeof tokens === "string" ? new Map([[tokens, "token"]]) : tokens;
    if (named.size === 0 || ![...named.keys()].every(isSendable)) {
      throw new TypeError(
        "Cannot guard the endpoint: a token must be visible ASCII without spaces, and there must be one",
      );
    }
    this.#principals = new Map(Array.from(named, ([token, name]) => [digest(token), name]));
  }

  /** The principal of the request, or why it is refused. */
  admit(request: HttpRequest): string | Refusal {
    const why = this.#check?.(request.headers);
    return why === undefined ? this.#identify(request) : { status: 403, message: why };
  }

  /** Tokens are compared as digests, so the time it takes says nothing of how near a guess is. */
  #identify(request: HttpRequest): string | Refusal {
    if (this.#principals === undefined) return "anonymous";
    const token = readBearerToken(request);
    if (token === undefined) {
      return unauthorized(
        "Cannot take the request: it has no token; send it as `Authorization: Bearer …`, `haft serve` names the file that holds it",
        "",
      );
    }
    const principal = this.#principals.get(digest(token));
    return (
      principal ??
      unauthorized(
        "Cannot take the request: its token is not known here; `haft serve` names the file that holds the right one",
        ', error="invalid_token"',
      )
    );
  }
}

function isSendable(token: string): boolean {
  return /^[\x21-\x7e]+$/.test(token);
}

function unauthorized(message: string, error: string): Refusal {
  return { status: 401, message, headers: { "www-authenticate": `Bearer realm="haft"${error}` } };
}

function digest(token: string): string {
  return hash("sha256", token, "base64");
}
