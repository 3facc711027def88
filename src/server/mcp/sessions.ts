import { randomBytes } from "node:crypto";
import type { Clock } from "../../base/index.ts";
import type { Session } from "./session.ts";

export interface SessionsOptions {
  readonly max: number;
  readonly idleMs: number;
  readonly clock: Clock;
}

interface Entry {
  readonly session: Session;
  readonly principal: string;
  usedAt: number;
}

/**
 * The sessions of one endpoint by their ids. One that nobody used for `idleMs` is gone at the next look, and where
 * there are too many the one that was used longest ago makes room, busy ones last.
 */
export class Sessions {
  readonly #options: SessionsOptions;
  /** The one used longest ago first. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Returns the id of the session. */
  add(session: Session, principal: string): string {
    this.#dropIdle();
    if (this.#entries.size >= this.#options.max) this.#makeRoom();
    const id = randomBytes(24).toString("base64url");
    this.#entries.set(id, { session, principal, usedAt: this.#options.clock.now() });
    return id;
  }

  /** Undefined for an id that never was, is over, or belongs to another principal. */
  find(id: string, principal: string): Session | undefined {
    this.#dropIdle();
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.principal !== principal) return undefined;
    this.#touch(id, entry);
    return entry.session;
  }

  end(id: string, reason = "The session was ended"): void {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    entry?.session.close(new Error(reason));
  }

  close(): void {
    for (const id of this.#entries.keys()) this.end(id);
  }

  #touch(id: string, entry: Entry): void {
    entry.usedAt = this.#options.clock.now();
    this.#entries.delete(id);
    this.#entries.set(id, entry);
  }

  #dropIdle(): void {
    const oldest = this.#options.clock.now() - this.#options.idleMs;
    for (const [id, entry] of this.#entries) {
      if (entry.usedAt > oldest) return;
      if (entry.session.busy) this.#touch(id, entry);
      else this.end(id, "The session was not used for too long");
    }
  }

  #makeRoom(): void {
    let victim: string | undefined;
    for (const [id, { session }] of this.#entries) {
      victim ??= id;
      if (session.busy) continue;
      victim = id;
      break;
    }
    if (victim !== undefined) this.end(victim, "The session had to make room for others");
  }
}
