/** One time that a hook was asked. */
export interface HookRun {
  /** Unix ms. */
  readonly at: number;
  readonly durationMs: number;
  readonly blocked: boolean;
  /** Why it failed. */
  readonly error?: string;
}

/** The counts of the runs of hooks. */
export interface HookStatistics {
  /** Must neither wait nor throw. */
  record(hook: string, run: HookRun): void;
}
