import type { Generated, Transaction } from "kysely";

/**
 * What an event is about. Calls need no events: the ledger has them in their order. `cancel`: somebody asks the process
 * that makes a call to cancel it.
 */
export type EventKind = "question" | "run" | "session" | "memory" | "task" | "cancel";

interface Tables {
  readonly event: {
    readonly seq: Generated<number>;
    /** Unix ms. */
    readonly at: number;
    readonly kind: EventKind;
    readonly id: string;
  };
}

const mostKept = 100_000;
const longestKeptMs = 86_400_000;
/** Events between two deletions of those that are too old. */
const pruneEvery = 500;
/** Rows of one statement. */
const mostAtOnce = 500;

/**
 * Notes that something changed, within the transaction that changes it. Events are kept for a day, and 100,000 of them
 * at most.
 */
export async function noteEvents<Known>(
  tx: Transaction<Known>,
  kind: EventKind,
  ids: readonly string[],
  at: number,
): Promise<void> {
  if (ids.length === 0) return;
  // The table is in the same database as those that the caller knows.
  const events = tx as unknown as Transaction<Tables>;
  let last = 0;
  for (let from = 0; from < ids.length; from += mostAtOnce) {
    const rows = ids.slice(from, from + mostAtOnce).map((id) => ({ at, kind, id }));
    const noted = await events.insertInto("event").values(rows).returning("seq").execute();
    last = Math.max(last, ...noted.map(({ seq }) => seq));
  }
  if (last % pruneEvery >= ids.length) return;
  await events
    .deleteFrom("event")
    .where((row) => row.or([row("seq", "<=", last - mostKept), row("at", "<", at - longestKeptMs)]))
    .execute();
}
