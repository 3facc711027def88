import { type Clock, FairSemaphore, type MaybePromise } from "../base/index.ts";
import type { Call } from "./call.ts";
import { ToolBusyError } from "./errors.ts";
import { type Lane, Lanes, lanesOf } from "./lanes.ts";

export interface AdmissionOptions {
  readonly maxConcurrent: number;
  readonly maxWaiting: number;
  readonly maxWaitMs: number;
  readonly clock: Clock;
}

/** Step 6: gives every call its turn, which is its lanes and then a place among the calls that run. */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #lanes = new Lanes();
  readonly #places: FairSemaphore;
  readonly #leavePlace = (): void => this.#places.release();
  /** Calls of each caller that wait for their lanes. */
  readonly #inLanes = new Map<string, number>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#places = new FairSemaphore(options.maxConcurrent);
  }

  /**
   * Gives what ends the turn.
   *
   * @throws {ToolBusyError} if too many calls of this caller wait, or this one waited too long.
   */
  admit(call: Call): MaybePromise<() => void> {
    const { tool } = call;
    const lanes =
      tool.lanes === undefined ? lanesOf(call.effects) : tool.lanes(call.params as never, call.context);
    if (lanes.length === 0) return this.#places.tryAcquire() ? this.#leavePlace : this.#takePlace(call);
    const leaveLanes = this.#lanes.tryEnter(lanes);
    return leaveLanes !== undefined && this.#places.tryAcquire()
      ? this.#leaveBoth(call, leaveLanes)
      : this.#takeBoth(call, lanes, leaveLanes);
  }

  #takePlace(call: Call): Promise<() => void> {
    this.#checkQueue(call);
    return new Promise((resolve, reject) => {
      const leaveQueue = this.#places.enqueue(call.caller, () => {
        endWatch();
        resolve(this.#leavePlace);
      });
      const endWatch = this.#watch(call, (reason) => {
        leaveQueue();
        reject(reason);
      });
    });
  }

  async #takeBoth(
    call: Call,
    lanes: readonly Lane[],
    entered: (() => void) | undefined,
  ): Promise<() => void> {
    let leaveLanes = entered;
    const patience = new AbortController();
    const endWatch = this.#watch(call, (reason) => patience.abort(reason));
    try {
      this.#checkQueue(call);
      leaveLanes ??= await this.#enterLanes(call.caller, lanes, patience.signal);
      await this.#places.acquire(call.caller, patience.signal);
      return this.#leaveBoth(call, leaveLanes);
    } catch (error) {
      leaveLanes?.();
      throw error;
    } finally {
      endWatch();
    }
  }

  #leaveBoth(call: Call, leaveLanes: () => void): () => void {
    return () => {
      this.#places.release();
      // A tool that did not stop still holds what it works on; its place is free for others.
      if (call.unsettled === undefined) leaveLanes();
      else void call.unsettled.then(leaveLanes);
    };
  }

  async #enterLanes(caller: string, lanes: readonly Lane[], signal: AbortSignal): Promise<() => void> {
    this.#inLanes.set(caller, (this.#inLanes.get(caller) ?? 0) + 1);
    try {
      return await this.#lanes.enter(lanes, signal);
    } finally {
      const left = (this.#inLanes.get(caller) as number) - 1;
      if (left > 0) this.#inLanes.set(caller, left);
      else this.#inLanes.delete(caller);
    }
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
    const ahead = this.#places.waitingOf(caller) + (this.#inLanes.get(caller) ?? 0);
    if (ahead < this.#options.maxWaiting) return;
    throw new ToolBusyError(
      toolName,
      `Cannot start "${toolName}": ${ahead} calls wait already; try again when some have ended`,
    );
  }
}
