import type { HookRunLog, HookRuns } from "../../modules/hook-runs/index.ts";
import type { HookRun, HookStatistics } from "../../sources/index.ts";

export interface HookCountsOptions {
  /** Opens the store: only when there is something to count. */
  readonly open: () => Promise<HookRunLog>;
  readonly scope: string;
  readonly onError: (error: unknown) => void;
  /** How long runs are gathered before they are written. @default 1,000 */
  readonly delayMs?: number;
}

/** Counts the runs of hooks, and writes them down together: no call waits for it. */
export class HookCounts implements HookStatistics {
  readonly #options: HookCountsOptions;
  #waiting = new Map<string, HookRuns>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(options: HookCountsOptions) {
    this.#options = options;
  }

  record(hook: string, { at, durationMs, blocked, error }: HookRun): void {
    const before = this.#waiting.get(hook);
    const lastError = error ?? before?.lastError;
    this.#waiting.set(hook, {
      hook,
      runs: (before?.runs ?? 0) + 1,
      blocks: (before?.blocks ?? 0) + Number(blocked),
      errors: (before?.errors ?? 0) + Number(error !== undefined),
      totalMs: (before?.totalMs ?? 0) + durationMs,
      lastRunAt: at,
      ...(lastError !== undefined && { lastError }),
    });
    this.#timer ??= setTimeout(() => void this.flush(), this.#options.delayMs ?? 1000).unref();
  }

  /** Resolves once all that was counted is written. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = Array.from(this.#waiting.values());
    this.#waiting = new Map();
    if (waiting.length > 0) this.#writing = this.#writing.then(() => this.#write(waiting));
    return this.#writing;
  }

  async #write(runs: readonly HookRuns[]): Promise<void> {
    const { open, scope, onError } = this.#options;
    try {
      await (await open()).add(scope, runs);
    } catch (error) {
      onError(error);
    }
  }
}
