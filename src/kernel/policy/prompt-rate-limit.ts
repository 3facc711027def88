import type { Clock } from "../../base/index.ts";

/** How long a question, and a no to one, counts against whoever asked. */
const memoryMs = 600_000;
/** New questions of one caller within that time that are kept for their owner to find, for each that may be open. */
const keptForOpen = 6;
/** Maximum number of new questions of one caller within that time that no person could be asked. */
const mostUnattended = 100;

interface Asked {
  open: number;
  /** When it was told no, Unix ms. */
  readonly refusals: number[];
  /** When its questions were kept, Unix ms. */
  readonly kept: number[];
  /** Unix ms at which each of the caller's questions was left open because no person could be asked. */
  readonly unattended: number[];
}

/** Keeps a caller from asking until somebody says yes to be left alone. */
export class Patience {
  readonly #clock: Clock;
  readonly #callers = new Map<string, Asked>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why this caller may not ask now. */
  findFault(caller: string, most: number): string | undefined {
    const asked = this.#callers.get(caller);
    if (asked === undefined) return undefined;
    this.#forget(caller, asked);
    const tooManyOpen = this.findOpenFault(caller, most);
    if (tooManyOpen !== undefined) return tooManyOpen;
    if (asked.refusals.length >= most)
      return `this caller was told no ${asked.refusals.length} times within ten minutes, so nobody is asked now`;
    if (asked.kept.length >= most * keptForOpen)
      return `${asked.kept.length} questions of this caller were put within ten minutes, so no more are now`;
    if (asked.unattended.length >= mostUnattended)
      return `${asked.unattended.length} questions of this caller were left open within ten minutes, so no more are now`;
    return undefined;
  }

  /** Explains why this caller may not open one more question now; undefined if it may. */
  findOpenFault(caller: string, most: number): string | undefined {
    const { open } = this.#callers.get(caller) ?? { open: 0 };
    return open >= most ? `${open} questions of this caller wait for an answer already` : undefined;
  }

  /** Counts one more open question; the returned function closes it. */
  open(caller: string): () => void {
    const asked = this.#of(caller);
    asked.open++;
    return () => {
      asked.open--;
      this.#forget(caller, asked);
    };
  }

  refused(caller: string): void {
    this.#of(caller).refusals.push(this.#clock.now());
  }

  /** Counts a question that was left open because no person could be asked, instead of as one that a person saw. */
  leftOpen(caller: string): void {
    this.#of(caller).unattended.push(this.#clock.now());
  }

  /** Counts one more question that its owner will find; the returned function takes that back. */
  kept(caller: string): () => void {
    const asked = this.#of(caller);
    const at = this.#clock.now();
    asked.kept.push(at);
    return () => {
      const index = asked.kept.indexOf(at);
      if (index < 0) return; // Forgotten already.
      asked.kept.splice(index, 1);
      this.#forget(caller, asked);
    };
  }

  #of(caller: string): Asked {
    let asked = this.#callers.get(caller);
    if (asked === undefined) {
      // A task is a caller: those that never ask again are not kept for ever.
      for (const [other, its] of this.#callers) this.#forget(other, its);
      asked = { open: 0, refusals: [], kept: [], unattended: [] };
      this.#callers.set(caller, asked);
    }
    return asked;
  }

  #forget(caller: string, asked: Asked): void {
    const since = this.#clock.now() - memoryMs;
    dropUntil(since, asked.refusals);
    dropUntil(since, asked.kept);
    dropUntil(since, asked.unattended);
    const { open, refusals, kept, unattended } = asked;
    if (open + refusals.length + kept.length + unattended.length === 0) this.#callers.delete(caller);
  }
}

function dropUntil(time: number, times: number[]): void {
  while (times[0] !== undefined && times[0] <= time) times.shift();
}
