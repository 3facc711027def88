import { type Clock, FairSemaphore, type MaybePromise } from "../../base/index.ts";
import { ToolBusyError } from "../errors.ts";
import { toWaitNote } from "../ports/wait-note.ts";
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
      if (turn.releaseLocks !== undefined && this.#tryTakeSlot(turn)) return turn;
      return this.#noteWait(call, this.#takeBoth(turn, locks));
    }
    if (this.#tryTakeSlot(turn)) return turn;
    this.#checkQueue(call);
    return this.#noteWait(call, this.#waitForSlot(turn, this.#options.maxWaitMs));
  }

  /** Notes for the ledger how long the call waits, however that ends. */
  async #noteWait(call: DecidedCall, turn: Promise<Turn>): Promise<Turn> {
    const { clock } = this.#options;
    const since = clock.now();
    try {
      return await turn;
    } finally {
      const ms = clock.now() - since;
      if (ms > 0) call.asides.push(toWaitNote({ ms, afterMs: since - call.startedAt }));
    }
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
  async comeBack(turn: Turn, signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason;
    if (this.#tryTakeSlot(turn)) return;
    let leave = () => {};
    const waiting = this.#waitForSlot(turn, this.#options.maxWaitMs, (giveUp) => {
      leave = () => giveUp(signal.reason as Error);
    });
    signal.addEventListener("abort", leave, { once: true });
    await waiting.finally(() => signal.removeEventListener("abort", leave));
  }

  #tryTakeSlot(turn: Turn): boolean {
    if (!this.#findSlots(turn.call).tryAcquire()) return false;
    turn.hasSlot = true;
    return true;
  }

  /** Waits for the locks, unless it has them, and then for a slot, no longer than `maxWaitMs` for both. */
  async #takeBoth(turn: Turn, locks: readonly ResourceLock[]): Promise<Turn> {
    const { clock, maxWaitMs } = this.#options;
    const since = clock.now();
    try {
      this.#checkQueue(turn.call);
      turn.releaseLocks ??= await this.#waitForLocks(turn.call, locks);
      if (this.#tryTakeSlot(turn)) return turn;
      return await this.#waitForSlot(turn, maxWaitMs - (clock.now() - since));
    } catch (error) {
      turn.releaseLocks?.();
      throw error;
    }
  }

  /**
   * The turn has its slot from the moment it is given, and gives it back when it is ended.
   *
   * @param onStart receives the function that ends the wait
   */
  #waitForSlot(turn: Turn, ms: number, onStart?: (giveUp: (reason: Error) => void) => void): Promise<Turn> {
    const { call } = turn;
    if (call.cancelled) return Promise.reject(call.cancellation());
    return new Promise((resolve, reject) => {
      const giveUp = (reason: Error) => {
        stopWatch();
        leaveQueue();
        reject(reason);
      };
      const stopWatch = this.#watch(call, ms, giveUp);
      const leaveQueue = this.#findSlots(call).enqueue(call.caller, () => {
        stopWatch();
        turn.hasSlot = true;
        resolve(turn);
      });
      onStart?.(giveUp);
    });
  }

  async #waitForLocks(call: DecidedCall, locks: readonly ResourceLock[]): Promise<() => void> {
    const { caller } = call;
    const patience = new AbortController();
    const stopWatch = this.#watch(call, this.#options.maxWaitMs, (reason) => patience.abort(reason));
    this.#waitingForLocks.set(caller, (this.#waitingForLocks.get(caller) ?? 0) + 1);
    try {
      return await this.#locks.enter(locks, patience.signal);
    } finally {
      stopWatch();
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

  #watch(call: Call, ms: number, stop: (reason: Error) => void): () => void {
    const { clock, maxWaitMs } = this.#options;
    const tooLong = () =>
      new ToolBusyError(
        call.toolName,
        `Cannot start "${call.toolName}": it waited ${maxWaitMs} ms for its turn; try again when other calls have ended`,
      );
    return call.watch(clock, ms, tooLong, stop);
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
