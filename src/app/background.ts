import type { Sandbox } from "../host/index.ts";
import type { CallContext } from "../kernel/index.ts";
import type { JobHandlers, JobRunner, JobRunnerOptions, Jobs } from "../modules/jobs/index.ts";
import type { Module } from "../modules/module.ts";
import type { LazyStore } from "./lazy-store.ts";
import { type ModulePorts, modules } from "./modules.ts";

export interface BackgroundParts {
  readonly store: LazyStore;
  /** What the modules are made of. */
  readonly ports: ModulePorts;
  /** Probed before a command needs it: in a new home that takes half a second. */
  readonly sandbox: Pick<Sandbox, "report">;
  /** Work of the installation itself, beside that of its modules. */
  readonly work?: readonly BackgroundWork[];
  /** Told of what goes wrong. */
  readonly onError: (error: unknown) => void;
}

/** Jobs that one runner does. */
export interface BackgroundWork {
  readonly name: string;
  /** Jobs under way at once. @default 2 */
  readonly atOnce?: number;
  readonly open: () => Promise<JobHandlers>;
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

  /** Wakes another runner with its own, and closes it. */
  add(runner: JobRunner): void {
    this.#runners.push(runner);
  }

  /** Ends what runs. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#starting;
    await Promise.all(this.#runners.map((runner) => runner.close()));
  }

  async #start(callers: readonly CallContext[]): Promise<void> {
    const { store, ports, sandbox, work = [], onError } = this.#parts;
    // Nothing here waits for it; a command that comes meanwhile waits for this probe.
    sandbox.report().catch(onError);
    const { jobs } = await store.open();
    await Promise.all(
      [...modules.flatMap((module) => this.#listWork(module)), ...work].map((one) =>
        this.#startJobs(one, jobs),
      ),
    );
    if (this.#isClosed) return;
    await ports.memory.begin(callers);
    this.wake();
  }

  #listWork({ name, jobs }: Module<ModulePorts>): readonly BackgroundWork[] {
    return jobs === undefined ? [] : [{ name, open: () => jobs(this.#parts.ports) }];
  }

  /** Starts a runner of its own for this work, so that it neither waits for other work nor fails with it. */
  async #startJobs({ name, atOnce = 2, open }: BackgroundWork, jobs: Jobs): Promise<void> {
    if (this.#isClosed) return;
    const { onError } = this.#parts;
    try {
      const [{ JobRunner }, handlers] = await Promise.all([import("../modules/jobs/index.ts"), open()]);
      if (this.#isClosed) return;
      let quietUntil = 0;
      const onFailure: JobRunnerOptions["onFailure"] = (failure, job) => {
        if (failure.isPostponed === true && job !== undefined) {
          // The jobs after it are postponed for the same reason.
          if (Date.now() < quietUntil) return;
          quietUntil = job.runAt;
        }
        onError(new Error(`${job?.kind ?? name}: ${failure.message}`));
      };
      const runner = new JobRunner({ jobs, handlers, atOnce, watchMs, onFailure });
      this.#runners.push(runner);
      runner.start();
    } catch (error) {
      onError(error);
    }
  }
}
