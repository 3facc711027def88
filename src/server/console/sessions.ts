import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/index.ts";
import { computeDigest } from "../http/bearer-token.ts";

/** How long the code of a link can be exchanged. */
const codeLifeMs = 60_000;
/** The longest life of a session, and the longest time without a request or an open stream. */
const sessionLifeMs = 12 * 3_600_000;
const idleMs = 3_600_000;
/** Codes and sessions at one time. The oldest code, or the session that was idle for longest, makes room. */
const mostCodes = 20;
const mostSessions = 50;
const mostBrowserChars = 200;

/** A session of the console: one tab of a browser. Its token is not in here. */
export interface ConsoleSession {
  readonly id: string;
  /** Unix ms. */
  readonly startedAt: number;
  readonly usedAt: number;
  /** Unix ms; at the latest. */
  readonly endsAt: number;
  /** The browser, as it names itself. */
  readonly browser: string;
}

/** A session that requests belong to. */
export interface OpenSession extends ConsoleSession {
  /** Aborted once the session is over. */
  readonly ended: AbortSignal;
  /** Says that somebody is there: the session does not end for want of requests. */
  readonly touch: () => void;
}

interface Code {
  readonly digest: Buffer;
  readonly endsAt: number;
}

/** A code that was exchanged, as long as it could have been. */
interface UsedCode extends Code {
  readonly sessionId: string;
}

interface Entry {
  readonly id: string;
  readonly digest: Buffer;
  readonly startedAt: number;
  usedAt: number;
  readonly browser: string;
  readonly over: AbortController;
  stopTimer: () => void;
}

/**
 * The codes of links and the sessions that they were exchanged for. Only digests are kept, and only in this process:
 * all end with it.
 */
export class ConsoleSessions {
  readonly #clock: Clock;
  /** The oldest first. */
  #codes: Code[] = [];
  #used: UsedCode[] = [];
  readonly #sessions = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A new code, which opens one session. @returns with when it ends, in Unix ms */
  issueCode(): { readonly code: string; readonly endsAt: number } {
    const code = randomBytes(32).toString("base64url");
    const endsAt = this.#clock.now() + codeLifeMs;
    this.#codes = [...this.#openCodes(), { digest: computeDigest(code), endsAt }].slice(-mostCodes);
    return { code, endsAt };
  }

  /** Whether a code can be exchanged now. It is not used up. */
  hasCode(code: string): boolean {
    return this.#findCode(code) !== undefined;
  }

  /** Exchanges a code for the token of a new session. Undefined for a code that is not good, or not any more. */
  redeem(
    code: string,
    browser: string,
  ): { readonly token: string; readonly session: OpenSession } | undefined {
    const found = this.#findCode(code);
    if (found === undefined) return undefined;
    this.#codes = this.#codes.filter((one) => one !== found);
    const token = randomBytes(32).toString("base64url");
    const now = this.#clock.now();
    const entry: Entry = {
      id: `cs_${randomBytes(6).toString("hex")}`,
      digest: computeDigest(token),
      startedAt: now,
      usedAt: now,
      browser: browser.slice(0, mostBrowserChars),
      over: new AbortController(),
      stopTimer: () => {},
    };
    this.#makeRoom();
    this.#sessions.set(entry.id, entry);
    this.#used = [...this.#used.filter(this.#isInTime), { ...found, sessionId: entry.id }];
    this.#watch(entry);
    return { token, session: this.#toOpen(entry) };
  }

  /**
   * Ends the session that a code was exchanged for, if it is shown again: of two who have it, one is not the person whom
   * it was made for. False for a code that was not exchanged, or longer ago than it could be.
   */
  endReplayed(code: string): boolean {
    const used = findByDigest(this.#used.filter(this.#isInTime), code);
    return used !== undefined && this.end(used.sessionId);
  }

  /** The session of a token, which counts as used now. Undefined if there is none. */
  enter(token: string): OpenSession | undefined {
    const entry = this.#findSession(token);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#clock.now();
    return this.#toOpen(entry);
  }

  /** Whether a token is that of a session. */
  knows(token: string): boolean {
    return this.#findSession(token) !== undefined;
  }

  /** The sessions that are open, the latest used first. */
  list(): readonly ConsoleSession[] {
    return [...this.#sessions.values()]
      .filter((entry) => !this.#isOver(entry))
      .map(toSession)
      .sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Ends a session at once, with the streams that it has open. False if there is none of that id. */
  end(id: string): boolean {
    const entry = this.#sessions.get(id);
    if (entry === undefined) return false;
    this.#sessions.delete(id);
    entry.stopTimer();
    entry.over.abort();
    return true;
  }

  /** Ends everything. */
  close(): void {
    this.#codes = [];
    this.#used = [];
    for (const id of this.#sessions.keys()) this.end(id);
  }

  readonly #isInTime = ({ endsAt }: Code): boolean => endsAt > this.#clock.now();

  #openCodes(): readonly Code[] {
    return this.#codes.filter(this.#isInTime);
  }

  #findCode(code: string): Code | undefined {
    return findByDigest(this.#openCodes(), code);
  }

  #findSession(token: string): Entry | undefined {
    const entry = findByDigest([...this.#sessions.values()], token);
    if (entry === undefined || !this.#isOver(entry)) return entry;
    this.end(entry.id);
    return undefined;
  }

  #isOver({ startedAt, usedAt }: Entry): boolean {
    return findEnd(startedAt, usedAt) <= this.#clock.now();
  }

  #makeRoom(): void {
    if (this.#sessions.size < mostSessions) return;
    const [longest] = [...this.#sessions.values()].sort((a, b) => a.usedAt - b.usedAt);
    if (longest !== undefined) this.end(longest.id);
  }

  /** Ends the session when its time has come. */
  #watch(entry: Entry): void {
    const leftMs = findEnd(entry.startedAt, entry.usedAt) - this.#clock.now();
    if (leftMs <= 0) this.end(entry.id);
    else entry.stopTimer = this.#clock.after(leftMs, () => this.#watch(entry));
  }

  #toOpen(entry: Entry): OpenSession {
    return {
      ...toSession(entry),
      ended: entry.over.signal,
      touch: () => {
        entry.usedAt = this.#clock.now();
      },
    };
  }
}

function findEnd(startedAt: number, usedAt: number): number {
  return Math.min(startedAt + sessionLifeMs, usedAt + idleMs);
}

function toSession({ id, startedAt, usedAt, browser }: Entry): ConsoleSession {
  return { id, startedAt, usedAt, endsAt: startedAt + sessionLifeMs, browser };
}

/** Looks at all of them, so that the time it takes tells nothing of which one is near. */
function findByDigest<Kept extends { readonly digest: Buffer }>(
  all: readonly Kept[],
  shown: string,
): Kept | undefined {
  const digest = computeDigest(shown);
  return all.filter((one) => timingSafeEqual(one.digest, digest))[0];
}
