import { type Clock, FairSemaphore, type MaybePromise } from "../../base/index.ts";
import { ToolBusyError } from "../errors.ts";
import type { ToolPool } from "../tool/tool.ts";
import type { Call } from "./call.ts";
import { type Lane, Lanes, toLocks } from "./resource-locks.ts";

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
  /** The pools in use, by name and size. */
  readonly #pools = new Map<string, FairSemaphore>();
  /** Calls of each caller that wait for their lanes. */
  readonly #inLanes = new Map<string, number>();

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#places = new FairSemaphore(options.maxConcurrent);
  }

  /**
   * Waits for the turn of a call, which {@link Admission.leave} ends.
   *
   * @throws {ToolBusyError} if too many calls of this caller wait, or this one waited too long.
   */
  admit(call: Call): MaybePromise<void> {
    const lanes = lanesFor(call);
    if (lanes.length > 0) {
      call.leaveLanes = this.#lanes.tryEnter(lanes);
      if (call.leaveLanes === undefined) return this.#takeBoth(call, lanes);
    }
    if (this.#placesOf(call).tryAcquire()) call.hasPlace = true;
    else return this.#takeBoth(call, []);
  }

  /** Ends the turn, whether or not the call has its place just now. */
  leave(call: Call): void {
    const { leaveLanes, unsettled } = call;
    this.stepAside(call);
    if (leaveLanes === undefined) return;
    // A tool that did not stop still holds what it works on; its place is free for others.
    if (unsettled === undefined) leaveLanes();
    else void unsettled.then(leaveLanes);
  }

  /** Gives the place of a call that runs to others; its lanes stay its own. */
  stepAside(call: Call): void {
    if (!call.hasPlace) return;
    call.hasPlace = false;
    const places = this.#placesOf(call);
    places.release();
    const { pool } = call;
    if (pool !== undefined && places.held === 0) this.#pools.delete(keyOf(pool));
  }

  /**
   * Takes a place again, for a call that stepped aside: after those that wait, like any other.
   *
   * @throws {ToolBusyError} if it waited too long.
   */
  comeBack(call: Call, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.reject(signal.reason);
    if (this.#placesOf(call).tryAcquire()) {
      call.hasPlace = true;
      return Promise.resolve();
    }
    return this.#takePlace(call, signal);
  }

  async #takeBoth(call: Call, lanes: readonly Lane[]): Promise<void> {
    const patience = new AbortController();
    const endWatch = this.#watch(call, (reason) => patience.abort(reason));
    try {
      this.#checkQueue(call);
      if (lanes.length > 0) call.leaveLanes = await this.#enterLanes(call.caller, lanes, patience.signal);
      if (this.#placesOf(call).tryAcquire()) call.hasPlace = true;
      else await this.#enqueue(call, patience.signal);
    } catch (error) {
      call.leaveLanes?.();
      throw error;
    } finally {
      endWatch();
    }
  }

  async #takePlace(call: Call, signal: AbortSignal): Promise<void> {
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
      const leaveQueue = this.#placesOf(call).enqueue(call.caller, () => {
        signal.removeEventListener("abort", giveUp);
        call.hasPlace = true;
        resolve();
      });
      signal.addEventListener("abort", giveUp, { once: true });
    });
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

  #placesOf({ pool }: Call): FairSemaphore {
    if (pool === undefined) return this.#places;
    const key = keyOf(pool);
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
    const ahead = this.#placesOf(call).waitingOf(caller) + (this.#inLanes.get(caller) ?? 0);
    if (ahead < this.#options.maxWaiting) return;
    throw new ToolBusyError(
      toolName,
      `Cannot start "${toolName}": ${ahead} calls wait already; try again when some have ended`,
    );
  }
}

const noLanes: readonly Lane[] = [];

/** One that only makes other calls would keep those out of the lanes that it held. */
function lanesFor({ tool, effects, params, context }: Call): readonly Lane[] {
  if (tool.composes !== undefined) return noLanes;
  return tool.lanes === undefined ? toLocks(effects) : tool.lanes(params as never, context);
}

function keyOf({ name, size }: ToolPool): string {
  return `${size} ${name}`;
}
