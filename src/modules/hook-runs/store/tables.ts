/** The table of how hooks fared, as queries see it. Times are Unix ms. */
export interface Tables {
  readonly hook_statistics: HookStatisticsRow;
}

interface HookStatisticsRow {
  readonly scope: string;
  readonly hook: string;
  readonly runs: number;
  readonly blocks: number;
  readonly errors: number;
  readonly total_ms: number;
  readonly last_run_at: number | null;
  readonly last_error: string | null;
}
