import type { Clock, MaybePromise } from "../../base/index.ts";
import { ToolCancelledError, ToolError, ToolTimeoutError } from "../errors.ts";
import type { DecidedCall } from "./call.ts";
import type { ConcurrencyLimiter, Turn } from "./slots.ts";

export interface TimeServices {
  /** How long all the people together that a call asks may take. */
  readonly personMs: number;
  readonly clock: Clock;
  readonly concurrency: Pick<ConcurrencyLimiter, "stepAside" | "comeBack">;
}

/** The time that a tool has. It stands still, and the call's slot is free, while the call only waits for a person. */
export class RunTime {
  readonly #call: DecidedCall;
  readonly #turn: Turn;
  readonly #timeoutMs: number;
  readonly #services: TimeServices;
  /** What was left of the tool's time when it last began to run. */
  #left: number;
  /** Unix ms; undefined while it stands still. */
  #runsSince: number | undefined;
  /** What is left of the time for people. */
  #personLeft: number;
  #stop: ((reason: Error) => void) | undefined;
  #endWatch: (() => void) | undefined;
  /** One for all waits that end together. */
  #comingBack: Promise<void> | undefined;
  #over = false;
  /** Calls of its own that it waits for, and those of them that wait for a person. */
  #asides = 0;
  #stills = 0;
  /** Tells those who wait that the call is over; made for them. */
  #leaving: AbortController | undefined;

  constructor(turn: Turn, timeoutMs: number, services: TimeServices) {
    this.#call = turn.call;
    this.#turn = turn;
    this.#timeoutMs = timeoutMs;
    this.#services = services;
    this.#left = timeoutMs;
    this.#runsSince = services.clock.now();
    this.#personLeft = services.personMs;
  }

  /** Unix ms. */
  get deadline(): number {
    return (this.#runsSince ?? this.#services.clock.now()) + this.#left;
  }

  /** Whether the tool has ended or was given up. */
  get isOver(): boolean {
    return this.#over;
  }

  /** Has `stop` called once, when the time is over or the caller cancels. */
  watch(stop: (reason: Error) => void): void {
    this.#stop = stop;
    this.#startWatch();
  }

  async awaitPerson<Answer>(ask: (signal: AbortSignal) => MaybePromise<Answer>): Promise<Answer> {
    if (this.#over) throw new ToolCancelledError(this.#call.toolName);
    this.#leaving ??= new AbortController();
    const { signal: leaving } = this.#leaving;
    this.#pause();
    try {
      return await this.#ask((signal) => unlessAborted(leaving, ask(AbortSignal.any([signal, leaving]))));
    } finally {
      if (!this.#over) await this.#goOn(leaving);
    }
  }

  /** Others have the call's slot while it waits within its own time. */
  async wait<Value>(act: (signal: AbortSignal) => MaybePromise<Value>): Promise<Value> {
    if (this.#over) throw new ToolCancelledError(this.#call.toolName);
    this.#leaving ??= new AbortController();
    const { signal } = this.#leaving;
    return this.aside(() => unlessAborted(signal, act(signal)));
  }

  /** Others have the call's slot while it waits for calls of its own, whose time is part of its time. */
  async aside<Value>(wait: () => Promise<Value>): Promise<Value> {
    this.#leaving ??= new AbortController();
    const { signal: leaving } = this.#leaving;
    const { concurrency } = this.#services;
    if (this.#asides++ === 0) concurrency.stepAside(this.#turn);
    try {
      return await wait();
    } finally {
      if (--this.#asides === 0 && !this.#over && this.#runsSince !== undefined)
        await concurrency.comeBack(this.#turn, leaving).catch(() => {}); // It goes on without a slot.
    }
  }

  /** The time stands still while a call that this one made waits for a person. */
  async standStill<Value>(wait: () => Promise<Value>): Promise<Value> {
    if (this.#stills++ === 0) this.#pause();
    try {
      return await wait();
    } finally {
      if (--this.#stills === 0 && !this.#over && this.#runsSince === undefined) this.#run();
    }
  }

  /** Whoever still waits for a person does not come back. */
  end(reason?: Error): void {
    this.#endWatch?.();
    this.#endWatch = undefined;
    this.#over = true;
    this.#leaving?.abort(reason ?? new ToolCancelledError(this.#call.toolName));
  }

  async #ask<Answer>(ask: (signal: AbortSignal) => MaybePromise<Answer>): Promise<Answer> {
    const { clock, personMs } = this.#services;
    const { toolName } = this.#call;
    const since = clock.now();
    const tooLong = () =>
      new ToolError(
        toolName,
        "TOOL_UNANSWERED",
        `Cannot go on with "${toolName}": nobody answered what it asked within ${personMs} ms; call it again when somebody is there`,
        { details: { personMs } },
      );
    try {
      return await this.#call.within(clock, this.#personLeft, tooLong, ask);
    } finally {
      this.#personLeft = Math.max(0, this.#personLeft - (clock.now() - since));
    }
  }

  #pause(): void {
    const { clock, concurrency } = this.#services;
    if (this.#runsSince === undefined) return;
    this.#left = Math.max(0, this.#left - (clock.now() - this.#runsSince));
    this.#runsSince = undefined;
    this.#startWatch();
    concurrency.stepAside(this.#turn);
  }

  async #goOn(leaving: AbortSignal): Promise<void> {
    if (this.#runsSince !== undefined) return; // Another wait ended before this one.
    this.#comingBack ??= this.#comeBack(leaving);
    await this.#comingBack;
  }

  async #comeBack(leaving: AbortSignal): Promise<void> {
    const { concurrency } = this.#services;
    try {
      await concurrency.comeBack(this.#turn, leaving);
      this.#run();
    } finally {
      this.#comingBack = undefined;
    }
  }

  #run(): void {
    this.#runsSince = this.#services.clock.now();
    this.#startWatch();
  }

  /** The caller can cancel at any time; the deadline passes only while the time runs. */
  #startWatch(): void {
    const { clock } = this.#services;
    const call = this.#call;
    const stop = this.#stop;
    this.#endWatch?.();
    if (stop === undefined) return;
    const tooLong = () => new ToolTimeoutError(call.toolName, this.#timeoutMs);
    this.#endWatch =
      this.#runsSince === undefined ? call.watchCancel(stop) : call.watch(clock, this.#left, tooLong, stop);
  }
}

/** What `work` comes to, if that is before `signal` is aborted. */
function unlessAborted<Value>(signal: AbortSignal, work: MaybePromise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason as Error);
    signal.addEventListener("abort", leave, { once: true });
    Promise.resolve(work)
      .finally(() => signal.removeEventListener("abort", leave))
      .then(resolve, reject);
  });
}
