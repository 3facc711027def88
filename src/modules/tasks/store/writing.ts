import type { Transaction } from "kysely";
import type { Redact } from "../../../kernel/index.ts";
import type { Tables } from "./tables.ts";

/** A connection for reading, in a transaction or outside one. */
export type Queries = Pick<Transaction<Tables>, "selectFrom" | "withRecursive">;

/** A transaction that changes tasks. */
export interface Writing {
  readonly tx: Transaction<Tables>;
  /** Unix ms. */
  readonly now: number;
  /** Takes secrets out of what is stored. */
  readonly redact: Redact;
  /** Wakes a parked run whose task has less to wait for. */
  readonly wakeRun: (run: { readonly scope: string; readonly runId: string }) => Promise<void>;
}
