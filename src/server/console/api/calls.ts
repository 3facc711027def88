import type {
  CallCount,
  CallGroup,
  CallsPage,
  IndexProgress,
  RecordedCallQuery,
  ReplayedCall,
} from "../../../app/index.ts";
import type { CallRecord, Verification } from "../../../modules/ledger/index.ts";
import type { CallOutputApi } from "./call-output.ts";

/** Filters of calls as a query of the address. Lists are separated by commas. */
export type CallsAddress = { readonly [Name in keyof RecordedCallQuery]?: string };

/** A call, with everything that its page shows. */
export interface CallDetail {
  readonly call: CallRecord;
  /** The calls that it made itself, in their order. */
  readonly inner: readonly CallRecord[];
  /** Changes to files that can be undone. */
  readonly undoable: readonly { readonly path: string; readonly change: string }[];
  /** The command that shows the same in a terminal. */
  readonly command: string;
}

export interface CallsApi extends CallOutputApi {
  readonly "GET /calls": { readonly query: CallsAddress; readonly answer: CallsPage };
  readonly "GET /calls/count": {
    readonly query: CallsAddress & { readonly by: CallGroup };
    readonly answer: readonly CallCount[];
  };
  /** How far the index of calls is, while answers wait for it. */
  readonly "GET /indexing": { readonly answer: { readonly indexing?: IndexProgress } };
  readonly "GET /calls/:id": { readonly answer: CallDetail };
  readonly "POST /calls/:id/undo": { readonly answer: { readonly text: string } };
  /**
   * Answers the same as `haft replay --json` for one call. If the call is known to change nothing, it is run again through
   * the gate, recorded under `taskId`.
   */
  readonly "POST /calls/:id/replay": {
    readonly answer: { readonly replayed: ReplayedCall; readonly taskId: string; readonly command: string };
  };
  readonly "POST /verify": { readonly body: { readonly all?: boolean }; readonly answer: Verification };
}
