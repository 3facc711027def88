/** Runs one load at a time; what is asked for meanwhile is one more load, after it. */
export class Reload {
  readonly #load: () => Promise<void>;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  /** @param load must not reject */
  constructor(load: () => Promise<void>) {
    this.#load = load;
  }

  /** Resolves once what is there now is taken in. */
  now(): Promise<void> {
    if (this.#running === undefined) {
      this.#running = this.#load().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.now();
    });
    return this.#next;
  }
}
