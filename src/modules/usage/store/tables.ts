import type { CallPurpose, PriceSource } from "./usage.ts";

/** The table of model calls, as queries see it. Times are Unix ms. */
export interface Tables {
  readonly model_call: ModelCallRow;
}

export interface ModelCallRow {
  readonly scope: string;
  readonly id: string;
  /** The life of an opened store that made the call: its lock says whether it is alive. */
  readonly process_id: string;
  readonly run_id: string | null;
  readonly root_id: string | null;
  readonly session_id: string | null;
  readonly agent_id: string | null;
  readonly project: string | null;
  readonly step: number | null;
  readonly model: string;
  readonly purpose: CallPurpose;
  readonly source: string;
  readonly started_at: number;
  /** Null while the call is under way: tokens and cost are then the most that it may come to. */
  readonly ended_at: number | null;
  readonly stop: string | null;
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  /** Null where the price is not known. */
  readonly cost_micros: number | null;
  readonly priced: PriceSource;
  readonly error: string | null;
}
