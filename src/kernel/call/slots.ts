import { type Clock, FairSemaphore, type MaybePromise } from "../../base/index.ts";
import { ToolBusyError } from "../errors.ts";
import type { ToolPool } from "../tool/tool.ts";
import type { Call } from "./call.ts";
import { type ResourceLock, ResourceLocks, toLocks } from "./resource-locks.ts";

export interface AdmissionOptions {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  readonly clock: Clock;
}

/** Step 6: gives every call its turn, which is its locks and then a place among the calls that run. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #locks = new ResourceLocks();
  readonly #slots: FairSemaphore;
  /** The pools in use, by name and size. */
  readonly #pools = new Map<string, FairSemaphore>();
  /** Calls of each caller that wait for their locks. */
  readonly #waitingForLocks = new Map<string, number>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#slots = new FairSemaphore(options.maxConcurrent);
  }

  /**
   * Waits for the turn of a call, which {@link Admission.leave} ends.
   *
   * @throws {ToolBusyError} if too many calls of this caller wait, or this one waited too long.
   */
  admit(call: Call): MaybePromise<void> {
    const locks = listLocks(call);
    if (locks.length > 0) {
      call.releaseLocks = this.#locks.tryEnter(locks);
      if (call.releaseLocks === undefined) return this.#takeBoth(call, locks);
    }
    if (this.#findSlots(call).tryAcquire()) call.hasPlace = true;
    else return this.#takeBoth(call, []);
  }

  /** Ends the turn, whether or not the call has its place just now. */
  leave(call: Call): void {
    const { releaseLocks, unsettled } = call;
    this.stepAside(call);
    if (releaseLocks === undefined) return;
    // A tool that did not stop still holds what it works on; its place is free for others.
    if (unsettled === undefined) releaseLocks();
    else void unsettled.then(releaseLocks);
  }

  /** Gives the place of a call that runs to others; its locks stay its own. */
  stepAside(call: Call): void {
    if (!call.hasPlace) return;
    call.hasPlace = false;
    const places = this.#findSlots(call);
    places.release();
    const { pool } = call;
    if (pool !== undefined && places.held === 0) this.#pools.delete(toKey(pool));
  }

  /**
   * Takes a place again, for a call that stepped aside: after those that wait, like any other.
   *
   * @throws {ToolBusyError} if it waited too long.
   */
  comeBack(call: Call, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#findSlots(call).tryAcquire()) {
      call.hasPlace = true;
      return Promise.resolve();
    }
    return this.#takeSlot(call, signal);
  }

  async #takeBoth(call: Call, locks: readonly ResourceLock[]): Promise<void> {
    const patience = new AbortController();
    const endWatch = this.#watch(call, (reason) => patience.abort(reason));
    try {
      this.#checkQueue(call);
      if (locks.length > 0) call.releaseLocks = await this.#enterLocks(call.caller, locks, patience.signal);
      if (this.#findSlots(call).tryAcquire()) call.hasPlace = true;
      else await this.#enqueue(call, patience.signal);
    } catch (error) {
      call.releaseLocks?.();
      throw error;
    } finally {
      endWatch();
    }
  }

  async #takeSlot(call: Call, signal: AbortSignal): Promise<void> {
    const patience = new AbortController();
    const endWatch = this.#watch(call, (reason) => patience.abort(reason));
    try {
      await this.#enqueue(call, AbortSignal.any([signal, patience.signal]));
    } finally {
      endWatch();
    }
  }

  /** The call has its place from the moment it is given: whoever ends it then gives it back. */
  #enqueue(call: Call, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        leaveQueue();
        reject(signal.reason);
      };
      const leaveQueue = this.#findSlots(call).enqueue(call.caller, () => {
        signal.removeEventListener("abort", giveUp);
        call.hasPlace = true;
        resolve();
      });
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  async #enterLocks(
    caller: string,
    locks: readonly ResourceLock[],
    signal: AbortSignal,
  ): Promise<() => void> {
    this.#waitingForLocks.set(caller, (this.#waitingForLocks.get(caller) ?? 0) + 1);
    try {
      return await this.#locks.enter(locks, signal);
    } finally {
      const left = (this.#waitingForLocks.get(caller) as number) - 1;
      if (left > 0) this.#waitingForLocks.set(caller, left);
      else this.#waitingForLocks.delete(caller);
    }
  }

  #findSlots({ pool }: Call): FairSemaphore {
    if (pool === undefined) return this.#slots;
    const key = toKey(pool);
    let places = this.#pools.get(key);
    if (places === undefined) {
      places = new FairSemaphore(pool.size);
      this.#pools.set(key, places);
    }
    return places;
  }

  #watch(call: Call, stop: (reason: Error) => void): () => void {
    const { clock, maxWaitMs } = this.#options;
    const tooLong = () =>
      new ToolBusyError(
        call.toolName,
        `Cannot start "${call.toolName}": it waited ${maxWaitMs} ms for its turn; try again when other calls have ended`,
      );
    return call.watch(clock, maxWaitMs, tooLong, stop);
  }

  #checkQueue(call: Call): void {
    if (call.cancelled) throw call.cancellation();
    const { caller, toolName } = call;
    const ahead = this.#findSlots(call).waitingOf(caller) + (this.#waitingForLocks.get(caller) ?? 0);
    if (ahead < this.#options.maxWaiting) return;
    throw new ToolBusyError(
      toolName,
      `Cannot start "${toolName}": ${ahead} calls wait already; try again when some have ended`,
    );
  }
}

const noLocks: readonly ResourceLock[] = [];

/** One that only makes other calls would keep those out of the locks that it held. */
function listLocks({ tool, effects, params, context }: Call): readonly ResourceLock[] {
  if (tool.composes !== undefined) return noLocks;
  return tool.locks === undefined ? toLocks(effects) : tool.locks(params as never, context);
}

function toKey({ name, size }: ToolPool): string {
  return `${size} ${name}`;
}
