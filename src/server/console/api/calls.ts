import type { CallCount, CallGroup, CallsPage, RecordedCallQuery } from "../../../app/index.ts";
import type { CallRecord, Verification } from "../../../modules/ledger/index.ts";

/** A query of calls in an address: lists are separated by commas, numbers are digits. */
export type CallsAddress = { readonly [Name in keyof RecordedCallQuery]?: string };

/** One call with all that its page shows. */
export interface CallDetail {
  readonly call: CallRecord;
  /** The calls that it led to directly, in their order. */
  readonly inner: readonly CallRecord[];
  /** Files that the call changed and that can be put back. */
  readonly undoable: readonly { readonly path: string; readonly change: string }[];
  /** The same in the terminal. */
  readonly command: string;
}

export interface CallsApi {
  readonly "GET /calls": { readonly query: CallsAddress; readonly answer: CallsPage };
  readonly "GET /calls/count": {
    readonly query: CallsAddress & { readonly by: CallGroup };
    readonly answer: readonly CallCount[];
  };
  readonly "GET /calls/:id": { readonly answer: CallDetail };
  readonly "POST /calls/:id/undo": { readonly answer: { readonly text: string } };
  readonly "POST /verify": { readonly body: { readonly all?: boolean }; readonly answer: Verification };
}
