import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../../base/index.ts";
import { computeDigest } from "../http/bearer-token.ts";

/** Life of the code in a link. */
const codeLifeMs = 60_000;
/** Life of a session, however much it is used. */
const sessionLifeMs = 12 * 3_600_000;
/** Life of a session without a request or an open stream. */
const idleMs = 3_600_000;
/** Limits on codes and sessions. Beyond them the oldest code, or the session idle for longest, is dropped. */
const mostCodes = 20;
const mostSessions = 50;
const mostBrowserChars = 200;

/** A session of the console, which is one tab of a browser. Holds no token. */
export interface ConsoleSession {
  readonly id: string;
  /** Unix ms. */
  readonly startedAt: number;
  readonly usedAt: number;
  /** Its latest end, in Unix ms. It ends sooner if it is idle. */
  readonly endsAt: number;
  /** The browser's `User-Agent`. */
  readonly browser: string;
}

/** A session, as the handlers of its requests see it. */
export interface OpenSession extends ConsoleSession {
  /** Aborted when the session ends. */
  readonly ended: AbortSignal;
  /** Counts as a request, so that the session does not end as idle. */
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
 * Codes of links, and the sessions that they opened. Holds only digests of codes and tokens, in memory: all sessions end
 * with the process.
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

  /** Makes a code that opens one session. `endsAt` is in Unix ms. */
  issueCode(): { readonly code: string; readonly endsAt: number } {
    const code = randomBytes(32).toString("base64url");
    const endsAt = this.#clock.now() + codeLifeMs;
    this.#codes = [...this.#openCodes(), { digest: computeDigest(code), endsAt }].slice(-mostCodes);
    return { code, endsAt };
  }

  /** Whether a code is valid now. Does not use it up. */
  hasCode(code: string): boolean {
    return this.#findCode(code) !== undefined;
  }

  /** Whether somebody has a link that is still good, or a session. */
  get isExpected(): boolean {
    return this.#sessions.size > 0 || this.#openCodes().length > 0;
  }

  /** Exchanges a code for the token of a new session. Undefined if the code is unknown, used or expired. */
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

  /** Finds the session of a token, and counts as a request of it. Undefined if there is none. */
  enter(token: string): OpenSession | undefined {
    const entry = this.#findSession(token);
    if (entry === undefined) return undefined;
    entry.usedAt = this.#clock.now();
    return this.#toOpen(entry);
  }

  /** Whether a token belongs to a session. */
  knows(token: string): boolean {
    return this.#findSession(token) !== undefined;
  }

  /** The open sessions, most recently used first. */
  list(): readonly ConsoleSession[] {
    return [...this.#sessions.values()]
      .filter((entry) => !this.#isOver(entry))
      .map(toSession)
      .sort((a, b) => b.usedAt - a.usedAt);
  }

  /** Ends a session and its streams at once. False if no session has that id. */
  end(id: string): boolean {
    const entry = this.#sessions.get(id);
    if (entry === undefined) return false;
    this.#sessions.delete(id);
    entry.stopTimer();
    entry.over.abort();
    return true;
  }

  /** Ends all sessions, and forgets all codes. */
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

  /** Ends the session when its life or its idle time is over. */
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

/** Compares with every digest, so that the time taken tells nothing about them. */
function findByDigest<Kept extends { readonly digest: Buffer }>(
  all: readonly Kept[],
  shown: string,
): Kept | undefined {
  const digest = computeDigest(shown);
  return all.filter((one) => timingSafeEqual(one.digest, digest))[0];
}
