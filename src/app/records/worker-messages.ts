import type { Task } from "../../modules/tasks/index.ts";
import type { KnownSecret } from "../secrets/known-secrets.ts";
import type { CallGroup, EventCursor, IndexProgress, RecordEvents, RecordedCallQuery } from "./records.ts";

/** What is asked of the thread that reads records. */
export type RecordsRequest =
  | { readonly do: "list"; readonly query: RecordedCallQuery }
  | { readonly do: "find"; readonly callId: string }
  | { readonly do: "count"; readonly query: RecordedCallQuery; readonly by: CallGroup }
  | { readonly do: "trace"; readonly of: { readonly scope: string; readonly id: string } }
  | { readonly do: "trace-columns"; readonly of: { readonly scope: string; readonly id: string } }
  | { readonly do: "view-tasks"; readonly scope: string; readonly tasks: readonly Task[] }
  | { readonly do: "verify"; readonly all: boolean }
  | { readonly do: "erase" }
  | { readonly do: "rebuild" }
  | { readonly do: "end" }
  | { readonly do: "events"; readonly after: EventCursor }
  | { readonly do: "latest-events"; readonly after: EventCursor };

/** JSON whose bytes are transferred from thread to thread, not copied. */
export interface TransferredJson {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly encoding?: "gzip";
}

/** The answer to `latest-events`: the events as JSON, and the cursor after them. */
export type LatestEvents = TransferredJson & Omit<RecordEvents, "events">;

/** Asks for an answer as JSON without secrets. */
export interface JsonWish {
  /** Secrets that are new since the last message to the thread. */
  readonly secrets: readonly KnownSecret[];
  /** Compresses a long answer. */
  readonly gzip: boolean;
}

/** A request, or the end of one that nobody waits for any more. */
export type RecordsMessage =
  | { readonly id: number; readonly request: RecordsRequest; readonly json?: JsonWish }
  | { readonly cancel: number };

/** An error as it crosses threads. */
export interface RecordsFault {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
}

/** What the thread says of a request, or of the index that it fills for one. */
export type RecordsAnswer =
  | { readonly indexing: IndexProgress | undefined }
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly fault: RecordsFault }
  | { readonly id: number; readonly progress: { readonly rows: number; readonly of: number } };
