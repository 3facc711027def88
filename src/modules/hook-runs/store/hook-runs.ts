/** What is known of a hook's past. */
export interface HookStats {
  readonly hook: string;
  readonly runs: number;
  readonly blocks: number;
  readonly errors: number;
  /** Milliseconds. */
  readonly meanMs: number;
  /** Unix ms. */
  readonly lastRunAt?: number;
  readonly lastError?: string;
}

/** Several runs of one hook, to be counted. */
export interface HookRuns {
  readonly hook: string;
  readonly runs: number;
  readonly blocks: number;
  readonly errors: number;
  readonly totalMs: number;
  readonly lastRunAt: number;
  readonly lastError?: string;
}

/** How hooks have fared. */
export interface HookRunLog {
  /** Adds to the counts of each hook. */
  add(scope: string, runs: readonly HookRuns[]): Promise<void>;
  /** Lists the hooks by name. */
  list(scope: string): Promise<readonly HookStats[]>;
}
