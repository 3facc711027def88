/**
 * Lets at most `limit` holders in at once. Callers wait in a queue of their own, and the queues are served in
 * turn: one caller with a thousand requests delays another by one place, not by a thousand.
 */
export class FairSemaphore {
  readonly #limit: number;
  readonly #queues = new Map<string, Waiter[]>();
  #held = 0;
  #waiting = 0;

  constructor(limit: number) {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new RangeError(`Cannot limit concurrency to ${limit}: it must be a whole number of at least 1`);
    }
    this.#limit = limit;
  }

  get held(): number {
    return this.#held;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Takes a place without waiting, or says that none is free. */
  tryAcquire(): boolean {
    if (this.#held >= this.#limit || this.#waiting > 0) return false;
    this.#held++;
    return true;
  }

  /** Waits for a place; rejects with the signal's reason if it is aborted first. */
  acquire(caller: string, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.tryAcquire()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        leave();
        reject(signal?.reason);
      };
      const leave = this.enqueue(caller, () => {
        signal?.removeEventListener("abort", giveUp);
        resolve();
      });
      signal?.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Queues for a place, even if one is free; `admit` is called when it is this caller's turn. Returns what leaves the queue. */
  enqueue(caller: string, admit: () => void): () => void {
    const waiter: Waiter = { admit };
    this.#add(caller, waiter);
    return () => this.#remove(caller, waiter);
  }

  /** How many of this caller wait. */
  countWaiting(caller: string): number {
    return this.#queues.get(caller)?.length ?? 0;
  }

  release(): void {
    this.#held--;
    if (this.#waiting === 0) return;
    for (const [caller, queue] of this.#queues) {
      const waiter = queue.shift() as Waiter;
      this.#waiting--;
      if (queue.length === 0) this.#queues.delete(caller);
      else if (this.#queues.size > 1) {
        this.#queues.delete(caller);
        this.#queues.set(caller, queue);
      }
      this.#held++;
      waiter.admit();
      return;
    }
  }

  #add(caller: string, waiter: Waiter): void {
    const queue = this.#queues.get(caller);
    if (queue === undefined) this.#queues.set(caller, [waiter]);
    else queue.push(waiter);
    this.#waiting++;
  }

  #remove(caller: string, waiter: Waiter): void {
    const queue = this.#queues.get(caller);
    const at = queue?.indexOf(waiter) ?? -1;
    if (queue === undefined || at < 0) return;
    queue.splice(at, 1);
    this.#waiting--;
    if (queue.length === 0) this.#queues.delete(caller);
  }
}

interface Waiter {
  readonly admit: () => void;
}
