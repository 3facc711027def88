import { type Clock, FairSemaphore, type MaybePromise } from "../../base/index.ts";
import { ToolBusyError } from "../errors.ts";
import type { ToolPool } from "../tool/tool.ts";
import type { Call, DecidedCall } from "./call.ts";
import { type ResourceLock, ResourceLocks, toLocks } from "./resource-locks.ts";

export interface ConcurrencyOptions {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  readonly clock: Clock;
}

/** What a call holds from its admission to its end: its resource locks, and a slot while it runs. */
export class Turn {
  readonly call: DecidedCall;
  hasSlot = false;
  releaseLocks: (() => void) | undefined;

  constructor(call: DecidedCall) {
    this.call = call;
  }
}

/** Step 6: gives every call its turn, which is its resource locks and then a slot among the calls that run. */
export class ConcurrencyLimiter {
  readonly #options: ConcurrencyOptions;
  readonly #locks = new ResourceLocks();
  readonly #slots: FairSemaphore;
  /** The pools in use, by name and size. */
  readonly #pools = new Map<string, FairSemaphore>();
  /** How many calls of each caller wait for their locks. */
  readonly #waitingForLocks = new Map<string, number>();

  constructor(options: ConcurrencyOptions) {
    this.#options = options;
    this.#slots = new FairSemaphore(options.maxConcurrent);
  }

  /**
   * Waits for the turn of a call, which {@link ConcurrencyLimiter.leave} ends.
   *
   * @throws {ToolBusyError} if too many calls of this caller wait, or this one waited too long.
   */
  admit(call: DecidedCall): MaybePromise<Turn> {
    const turn = new Turn(call);
    const locks = listLocks(call);
    if (locks.length > 0) {
      turn.releaseLocks = this.#locks.tryEnter(locks);
      if (turn.releaseLocks === undefined) return this.#takeBoth(turn, locks);
    }
    if (!this.#findSlots(call).tryAcquire()) return this.#takeBoth(turn, []);
    turn.hasSlot = true;
    return turn;
  }

  /** Ends the turn, whether or not the call has its slot just now. `unsettled`: the tool goes on until that settles. */
  leave(turn: Turn, unsettled: Promise<void> | undefined): void {
    const { releaseLocks } = turn;
    this.stepAside(turn);
    if (releaseLocks === undefined) return;
    // A tool that did not stop still holds what it works on; its slot is free for others.
    if (unsettled === undefined) releaseLocks();
    else void unsettled.then(releaseLocks);
  }

  /** Gives the slot of a call that runs to others; its locks stay its own. */
  stepAside(turn: Turn): void {
    if (!turn.hasSlot) return;
    turn.hasSlot = false;
    const slots = this.#findSlots(turn.call);
    slots.release();
    const { pool } = turn.call;
    if (pool !== undefined && slots.held === 0) this.#pools.delete(toKey(pool));
  }

  /**
   * Takes a slot again, for a call that stepped aside: after those that wait, like any other.
   *
   * @throws {ToolBusyError} if it waited too long.
   */
  comeBack(turn: Turn, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#findSlots(turn.call).tryAcquire()) {
      turn.hasSlot = true;
      return Promise.resolve();
    }
    return this.#takeSlot(turn, signal);
  }

  async #takeBoth(turn: Turn, locks: readonly ResourceLock[]): Promise<Turn> {
    const { call } = turn;
    const patience = new AbortController();
    const endWatch = this.#watch(call, (reason) => patience.abort(reason));
    try {
      this.#checkQueue(call);
      if (locks.length > 0) turn.releaseLocks = await this.#enterLocks(call.caller, locks, patience.signal);
      if (this.#findSlots(call).tryAcquire()) turn.hasSlot = true;
      else await this.#enqueue(turn, patience.signal);
      return turn;
    } catch (error) {
      turn.releaseLocks?.();
      throw error;
    } finally {
      endWatch();
    }
  }

  async #takeSlot(turn: Turn, signal: AbortSignal): Promise<void> {
    const patience = new AbortController();
    const endWatch = this.#watch(turn.call, (reason) => patience.abort(reason));
    try {
      await this.#enqueue(turn, AbortSignal.any([signal, patience.signal]));
    } finally {
      endWatch();
    }
  }

  /** The turn has its slot from the moment it is given: whoever ends it then gives it back. */
  #enqueue(turn: Turn, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        leaveQueue();
        reject(signal.reason);
      };
      const leaveQueue = this.#findSlots(turn.call).enqueue(turn.call.caller, () => {
        signal.removeEventListener("abort", giveUp);
        turn.hasSlot = true;
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

  #findSlots({ pool }: DecidedCall): FairSemaphore {
    if (pool === undefined) return this.#slots;
    const key = toKey(pool);
    let slots = this.#pools.get(key);
    if (slots === undefined) {
      slots = new FairSemaphore(pool.size);
      this.#pools.set(key, slots);
    }
    return slots;
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

  #checkQueue(call: DecidedCall): void {
    if (call.cancelled) throw call.cancellation();
    const { caller, toolName } = call;
    const ahead = this.#findSlots(call).countWaiting(caller) + (this.#waitingForLocks.get(caller) ?? 0);
    if (ahead < this.#options.maxWaiting) return;
    throw new ToolBusyError(
      toolName,
      `Cannot start "${toolName}": ${ahead} calls wait already; try again when some have ended`,
    );
  }
}

const noLocks: readonly ResourceLock[] = [];

/** A call that only makes other calls takes no locks: it would keep those out of them. */
function listLocks({ tool, effects, params, context }: DecidedCall): readonly ResourceLock[] {
  if (tool.composes !== undefined) return noLocks;
  return tool.locks === undefined ? toLocks(effects) : tool.locks(params as never, context);
}

function toKey({ name, size }: ToolPool): string {
  return `${size} ${name}`;
}
