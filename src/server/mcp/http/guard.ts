import { createHash } from "node:crypto";
import { type HttpRequest, readHeader } from "./port.ts";

export interface GuardOptions {
  readonly hosts: readonly string[] | "any";
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
  readonly #hosts: readonly string[] | "any";
  readonly #principals: ReadonlyMap<string, string> | undefined;

  constructor({ hosts, tokens }: GuardOptions) {
    this.#hosts = hosts === "any" ? hosts : hosts.map((host) => host.toLowerCase());
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
    return this.#checkHost(request) ?? this.#identify(request);
  }

  /** Keeps out pages of other sites that have made a name of theirs point here (DNS rebinding). */
  #checkHost(request: HttpRequest): Refusal | undefined {
    if (this.#hosts === "any") return undefined;
    const host = readHeader(request, "host");
    const origin = readHeader(request, "origin");
    if (!this.#isOurs(hostnameOf(`http://${host ?? ""}`))) return refuseHost("Host", host);
    if (origin !== undefined && !this.#isOurs(hostnameOf(origin))) return refuseHost("Origin", origin);
    return undefined;
  }

  #isOurs(hostname: string | undefined): boolean {
    return hostname !== undefined && this.#hosts.includes(hostname);
  }

  /** Tokens are compared as digests, so the time it takes says nothing of how near a guess is. */
  #identify(request: HttpRequest): string | Refusal {
    if (this.#principals === undefined) return "anonymous";
    const token = /^Bearer +(\S+) *$/i.exec(readHeader(request, "authorization") ?? "")?.[1];
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

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function refuseHost(header: string, value: string | undefined): Refusal {
  return {
    status: 403,
    message: `Cannot take the request: its ${header} "${value?.slice(0, 100) ?? ""}" is not one this server answers to; use the address it was given, or add the name to its hosts`,
  };
}

function unauthorized(message: string, error: string): Refusal {
  return { status: 401, message, headers: { "www-authenticate": `Bearer realm="haft"${error}` } };
}

function digest(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
