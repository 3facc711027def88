import type { Clock } from "./clock.ts";

/**
 * Renews a lease after each third of it, until the returned function is called.
 *
 * The lease is lost once it is another's, and at its end if it could not be renewed. A process that was stopped past
 * the end tries once more, as nobody may have taken the lease: it is lost if that fails, or takes a third of the lease.
 * Only timers measure the time, so a change of the machine's clock is no end. A lease of 0 ms has no end of its own.
 *
 * @param renew Resolves with false once the lease is another's. Where it rejects, it is called again before the lease ends.
 * @param onLost Called once, when the lease is lost.
 */
export function keepLease(options: LeaseOptions): () => void {
  const lease = new KeptLease(options);
  lease.begin();
  return () => lease.stop();
}

interface LeaseOptions {
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly renew: () => Promise<boolean>;
  readonly onLost: () => void;
}

const nothing = (): void => undefined;

class KeptLease {
  readonly #options: LeaseOptions;
  #isOver = false;
  /** Attempts to renew it since one succeeded. */
  #attempts = 0;
  #isPastEnd = false;
  #cancelNext = nothing;
  #cancelEnd = nothing;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#renewLater();
    this.#cancelEnd = this.#awaitEnd(() => this.#end());
  }

  stop(): void {
    this.#isOver = true;
    this.#cancelNext();
    this.#cancelEnd();
  }

  #renewLater(): void {
    const { clock, leaseMs } = this.#options;
    this.#cancelNext = clock.after(leaseMs / 3, () => {
      this.#renewLater();
      void this.#attempt();
    });
  }

  async #attempt(): Promise<void> {
    this.#attempts++;
    // The lease that is renewed now ends when this timer does, however long the renewal takes.
    let isKept = false;
    const cancelEnd = this.#awaitEnd(() => {
      if (isKept) this.#end();
    });
    const kept = await this.#options.renew().catch(() => undefined);
    if (kept !== true || this.#isOver) cancelEnd();
    if (this.#isOver) return;
    if (kept === false || (kept === undefined && this.#isPastEnd)) this.#lose();
    if (kept !== true) return;
    isKept = true;
    this.#cancelEnd();
    this.#cancelEnd = cancelEnd;
    this.#attempts = 0;
    this.#isPastEnd = false;
  }

  #awaitEnd(onEnd: () => void): () => void {
    const { clock, leaseMs } = this.#options;
    return leaseMs > 0 ? clock.after(leaseMs, onEnd) : nothing;
  }

  #end(): void {
    // Timers that are late come in their order: the one attempt, if any, began just before this.
    if (this.#attempts > 1 || this.#isPastEnd) return this.#lose();
    this.#isPastEnd = true;
    this.#cancelEnd = this.#options.clock.after(this.#options.leaseMs / 3, () => this.#lose());
    if (this.#attempts === 0) void this.#attempt();
  }

  #lose(): void {
    if (this.#isOver) return;
    this.stop();
    this.#options.onLost();
  }
}
