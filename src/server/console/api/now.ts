import type { ListedApproval } from "../../../modules/approvals/index.ts";
import type { CallRecord } from "../../../modules/ledger/index.ts";

/** The data of the page Now. */
export interface Now {
  readonly version: string;
  readonly folder: string;
  /** Running calls, oldest first. */
  readonly running: readonly CallRecord[];
  readonly questions: readonly ListedApproval[];
  /** Problems with servers and other sources of tools. */
  readonly trouble: readonly { readonly source: string; readonly problem: string }[];
  /** Sums since midnight, local time. Costs are whole micro-USD; `unpriced` counts requests without a known price. */
  readonly today: { readonly costMicros: number; readonly unpriced: number; readonly calls: number };
}

export interface NowApi {
  readonly "GET /now": { readonly answer: Now };
  readonly "POST /calls/:id/cancel": {
    readonly answer: {
      readonly cancelled: boolean;
      /** Another process makes the call: it was asked to cancel it, and does so within a second. */
      readonly elsewhere?: true;
    };
  };
}
