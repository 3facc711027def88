import type { Clock } from "../../base/index.ts";

export interface LaunchQueueOptions {
  readonly clock: Clock;
  /** How many may start at once. */
  readonly size: number;
  /**
   * Time after which a process that is still starting makes room for the next: a server that hangs delays the others by
   * this much.
   */
  readonly longestMs: number;
}

/** Starts a few processes at a time: many at once would leave this process no CPU time to answer its clients. */
export class LaunchQueue {
  readonly #options: LaunchQueueOptions;
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(options: LaunchQueueOptions) {
    this.#options = options;
    this.#free = options.size;
  }

  /** Runs `launch` once there is room, in the order of the calls. */
  async run<Result>(launch: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    let hasRoom = true;
    const leave = () => {
      if (hasRoom) this.#leave();
      hasRoom = false;
    };
    const endWait = this.#options.clock.after(this.#options.longestMs, leave);
    try {
      return await launch();
    } finally {
      endWait();
      leave();
    }
  }

  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
