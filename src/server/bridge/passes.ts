import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/index.ts";

/** `code`: exchanged once for a token, soon. `token`: shown at every connection. */
export type PassKind = "code" | "token";

const codeLifeMs = 10 * 60_000;
const pageLifeMs = 24 * 60 * 60_000;

/**
 * What host programs show to be let in. Passes are signed, not kept: whoever can read the key can issue them, in
 * whatever process, and they end when it is replaced.
 *
 * @example
 * ```ts
 * const passes = new BridgePasses("a key of 32 characters, at least!", createFakeClock());
 * const token = passes.redeem(passes.issueCode());
 * passes.admits(token ?? ""); // → true
 * passes.admits("made up"); // → false
 * ```
 */
export class BridgePasses {
  readonly #key: string;
  readonly #clock: Clock;
  /** Codes that were exchanged, until they would have ended by themselves. */
  readonly #used = new Map<string, number>();

  /** @param key secret, of 32 characters at least */
  constructor(key: string, clock: Clock) {
    if (key.length < 32)
      throw new RangeError("Cannot sign passes with a key of less than 32 characters: make a longer one");
    this.#key = key;
    this.#clock = clock;
  }

  /** A code for one host program. It ends in ten minutes, or once it is exchanged. */
  issueCode(): string {
    return this.#issue("code", codeLifeMs);
  }

  /** A token that lets a host program in until it ends. */
  issueToken(lifeMs: number): string {
    return this.#issue("token", lifeMs);
  }

  /** A token for a day, in exchange for a code; undefined if that is not good, or not any more. */
  redeem(code: string): string | undefined {
    const endsAt = this.#findEnd("code", code);
    if (endsAt === undefined || this.#used.has(code)) return undefined;
    for (const [used, end] of this.#used) if (end <= this.#clock.now()) this.#used.delete(used);
    this.#used.set(code, endsAt);
    return this.issueToken(pageLifeMs);
  }

  /** Whether a token was signed with this key and has not ended. */
  admits(token: string): boolean {
    return this.#findEnd("token", token) !== undefined;
  }

  #issue(kind: PassKind, lifeMs: number): string {
    const endsAt = this.#clock.now() + lifeMs;
    const body = `${kind}.${endsAt.toString(36)}.${randomBytes(12).toString("base64url")}`;
    return `${body}.${this.#sign(body)}`;
  }

  /** When a pass that is good ends. */
  #findEnd(kind: PassKind, pass: string): number | undefined {
    const [, body, named, end, signature] =
      /^((code|token)\.([0-9a-z]{1,11})\.[\w-]{16})\.([\w-]{43})$/.exec(pass) ?? [];
    if (body === undefined || end === undefined || signature === undefined) return undefined;
    // Both have one length, and comparing them takes one time: it tells nothing of how near a guess is.
    if (!timingSafeEqual(Buffer.from(signature), Buffer.from(this.#sign(body)))) return undefined;
    const endsAt = Number.parseInt(end, 36);
    return named === kind && endsAt > this.#clock.now() ? endsAt : undefined;
  }

  #sign(body: string): string {
    return createHmac("sha256", this.#key).update(`haft bridge ${body}`).digest("base64url");
  }
}
