import type { CallContext } from "../kernel/index.ts";
import type { JobHandlers, JobRunner } from "../modules/jobs/index.ts";
import type { LazyStore } from "./lazy-store.ts";
import { type ModulePorts, modules } from "./modules.ts";

export interface BackgroundParts {
  readonly store: LazyStore;
  /** What the modules are made of. */
  readonly ports: () => ModulePorts;
  /** Told of what goes wrong. */
  readonly onError: (error: unknown) => void;
}

/** How late a job of another process is heard of. */
const watchMs = 250;

/** What one installation does without being asked: the jobs of all modules. Nothing of it is loaded before it starts. */
export class Background {
  readonly #parts: BackgroundParts;
  readonly #runners: JobRunner[] = [];
  #timer: NodeJS.Timeout | undefined;
  #starting: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: BackgroundParts) {
    this.#parts = parts;
  }

  /**
   * Starts work for a program that stays; it begins once the program has answered who started it.
   *
   * @param callers for whom memory is kept good
   * @param delayMs
   * @default 2,000
   */
  start(callers: readonly CallContext[], delayMs = 2_000): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#starting = this.#start(callers).catch(this.#parts.onError);
    }, delayMs).unref();
  }

  /** Looks for what was enqueued just now; where nothing was started another program does it. */
  readonly wake = (): void => {
    for (const runner of this.#runners) runner.wake();
  };

  /** Ends what runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#starting;
    await Promise.all(this.#runners.map((runner) => runner.close()));
  }

  async #start(callers: readonly CallContext[]): Promise<void> {
    const { JobRunner } = await import("../modules/jobs/index.ts");
    const { store, onError } = this.#parts;
    const ports = this.#parts.ports();
    const { jobs } = await store.open();
    if (this.#isClosed) return;
    // A module that can't do its work keeps no other from its own.
    const open = async ({ jobs: ofModule }: (typeof modules)[number]): Promise<JobHandlers> => {
      try {
        return (await ofModule?.(ports)) ?? {};
      } catch (error) {
        onError(error);
        return {};
      }
    };
    const handlers = await Promise.all(modules.map(open));
    if (this.#isClosed) return;
    // Each module has places of its own: none waits for the work of another.
    for (const [index, own] of handlers.entries()) {
      if (Object.keys(own).length === 0) continue;
      const runner = new JobRunner({
        jobs,
        handlers: own,
        watchMs,
        onFailure: (failure, job) =>
          onError(new Error(`${job?.kind ?? modules[index]?.name}: ${failure.message}`)),
      });
      this.#runners.push(runner);
      runner.start();
    }
    await ports.memory.begin(callers);
    this.wake();
  }
}
