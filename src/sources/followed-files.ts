import { watchPath } from "../host/index.ts";

export interface FollowedOptions {
  /** Files and folders, whether they are there or not. */
  readonly paths: readonly string[];
  readonly watch: boolean;
  /** Takes in what is there now. */
  readonly load: () => Promise<void>;
}

/** Loads what is at some paths, and again as it changes: one load at a time; what is asked for meanwhile is one more, after it. */
export class FollowedFiles {
  readonly #options: FollowedOptions;
  #watches: readonly { close(): void }[] = [];
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: FollowedOptions) {
    this.#options = options;
  }

  /** Watches before it loads: no change falls between the two. */
  start(): Promise<void> {
    const { paths, watch } = this.#options;
    // After a load that failed, what was there before stays; whoever asks for a reload is told.
    const hear = () => void this.reload().catch(() => {});
    if (watch) this.#watches = paths.map((path) => watchPath(path, hear));
    return this.reload();
  }

  /** Resolves once what is there now is taken in. */
  reload(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    if (this.#running === undefined) {
      this.#running = this.#options.load().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    const again = () => {
      this.#next = undefined;
      return this.reload();
    };
    this.#next ??= this.#running.then(again, again);
    return this.#next;
  }

  /** Begins no load any more; resolves once the one that runs has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const watch of this.#watches) watch.close();
    await this.#running?.catch(() => {});
  }
}
