import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/index.ts";
import { type Allowance, MinuteCount } from "./minute-count.ts";
import type { HttpRequest } from "./port.ts";

export type Admission = "admitted" | "no token" | "wrong token" | "too many";

/** Admits who shows one bearer token. Guesses use up an allowance of their own, so that nobody can lock its owner out. */
export class BearerToken {
  readonly #expected: Buffer;
  readonly #requests: MinuteCount;

  constructor(token: string, clock: Clock, most: Allowance) {
    this.#requests = new MinuteCount(clock, most);
    this.#expected = computeDigest(token);
  }

  admit(request: Pick<HttpRequest, "headers">): Admission {
    const token = readBearerToken(request);
    // Digests have one length, and comparing them takes one time: it tells nothing of how near a guess is.
    const isKnown = token !== undefined && timingSafeEqual(computeDigest(token), this.#expected);
    if (!this.#requests.count(isKnown ? "admitted" : "refused")) return "too many";
    if (isKnown) return "admitted";
    return token === undefined ? "no token" : "wrong token";
  }
}

/** A check of whether a request shows one of these tokens, which counts nothing and refuses nobody. */
export function createTokenCheck(
  tokens: readonly string[],
): (request: Pick<HttpRequest, "headers">) => boolean {
  const known = tokens.map(computeDigest);
  return (request) => {
    const token = readBearerToken(request);
    if (token === undefined) return false;
    const shown = computeDigest(token);
    return known.some((one) => timingSafeEqual(one, shown));
  };
}

/** The token that a request shows; undefined where it shows none. */
export function readBearerToken({ headers }: Pick<HttpRequest, "headers">): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(String(headers["authorization"]))?.[1];
}

/** SHA-256 of a token. Digests have one length, so that comparing them takes one time. */
export function computeDigest(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
