import type { TraceColumns } from "../../../app/views/index.ts";

export interface TraceApi {
  /** The trace of a call, a run, or the newest run of a session. A page that compares two asks twice. */
  readonly "GET /trace/:id": { readonly answer: TraceColumns };
}
