/** A row of a list that is too long to be loaded whole. A larger `seq` is newer. */
export interface ListRow {
  readonly seq: number;
  /** Unix ms. */
  readonly startedAt: number;
}

/** The beginning and direction of a page of rows. `older` pages are newest first, `newer` pages oldest first. */
export type PageStart =
  | { readonly toward: "older"; readonly before?: number; readonly until?: number }
  | { readonly toward: "newer"; readonly after: number };

/** Maps fractions of the height of a long list to rows: 0 is the newest row, 1 the oldest. */
export interface Axis {
  /** An estimate of the number of rows. */
  readonly rows: number;
  /** The beginning of the page at a fraction. */
  start(fraction: number): Pick<Extract<PageStart, { toward: "older" }>, "before" | "until">;
  /** The fraction at which a row stands. */
  locate(row: ListRow): number;
}

/** Makes the axis of all calls, which is linear in `seq`. */
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

/** The number of rows in a span of time. */
export interface TimeCount {
  /** Beginning of the span, in Unix ms. */
  readonly from: number;
  readonly rows: number;
}

/** Makes the axis of filtered calls from their number in each span of `spanMs`, oldest first. */
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
