/** A row of a list that is too long to be held whole. A larger `seq` is newer. */
export interface ListRow {
  readonly seq: number;
  /** Unix ms. */
  readonly startedAt: number;
}

/** Where a page of rows begins. `older`: newest first, from there on down; `newer`: oldest first, from there on up. */
export type PageStart =
  | { readonly toward: "older"; readonly before?: number; readonly until?: number }
  | { readonly toward: "newer"; readonly after: number };

/** What the heights of a long list stand for: 0 is the newest row, 1 the oldest. */
export interface Axis {
  /** About how many rows there are. */
  readonly rows: number;
  /** Where the rows at this place begin. */
  start(fraction: number): Pick<Extract<PageStart, { toward: "older" }>, "before" | "until">;
  /** The place of a row. */
  locate(row: ListRow): number;
}

/** The axis of all calls: places go evenly by `seq`, whatever is there. */
export function createSeqAxis(head: number, sample: readonly ListRow[]): Axis {
  const newest = sample[0]?.seq ?? head;
  const oldest = sample.at(-1)?.seq ?? 0;
  const perSeq = newest > oldest ? (sample.length - 1) / (newest - oldest) : 1;
  return {
    rows: head * perSeq,
    start: (fraction) => ({ before: Math.max(1, Math.round(head * (1 - fraction)) + 1) }),
    locate: ({ seq }) => 1 - seq / Math.max(1, head),
  };
}

/** The rows of a span of time. */
export interface TimeCount {
  /** Unix ms of its beginning. */
  readonly from: number;
  readonly rows: number;
}

/** The axis of chosen calls, by how many there were in each span of time, the oldest first; each span lasts `spanMs`. */
export function createTimeAxis(counts: readonly TimeCount[], spanMs: number): Axis {
  const total = counts.reduce((sum, { rows }) => sum + rows, 0);
  const newestFirst = counts.toReversed();
  return {
    rows: total,
    start: (fraction) => {
      let left = fraction * total;
      for (const { from, rows } of newestFirst) {
        if (left <= rows) return { until: Math.ceil(from + spanMs * (1 - left / Math.max(1, rows))) };
        left -= rows;
      }
      return { until: newestFirst.at(-1)?.from ?? 0 };
    },
    locate: ({ startedAt }) => {
      let before = 0;
      for (const { from, rows } of newestFirst) {
        if (startedAt >= from) {
          const part = Math.min(1, Math.max(0, 1 - (startedAt - from) / spanMs));
          return (before + rows * part) / Math.max(1, total);
        }
        before += rows;
      }
      return 1;
    },
  };
}
