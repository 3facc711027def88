import type { ListedApproval } from "../../../modules/approvals/index.ts";
import type { CallRecord } from "../../../modules/ledger/index.ts";

/** What happens now. */
export interface Now {
  readonly version: string;
  readonly folder: string;
  /** Calls that run, the oldest first. */
  readonly running: readonly CallRecord[];
  readonly questions: readonly ListedApproval[];
  /** Servers and other sources that are not as they should be. */
  readonly trouble: readonly { readonly source: string; readonly problem: string }[];
  /** Whole micro-USD since midnight, local time; requests whose price is unknown are counted apart. */
  readonly today: { readonly costMicros: number; readonly unpriced: number; readonly calls: number };
}

export interface NowApi {
  readonly "GET /now": { readonly answer: Now };
  readonly "POST /calls/:id/cancel": { readonly answer: { readonly cancelled: boolean } };
}
