import type { EntriesPage, Entry } from "./types.ts";

/** Entries that are asked for at once. */
export const pageEntries = 100;
/** Entries that are shown at once: a session may have thousands. */
export const mostEntries = 300;

/** The entries that are shown, a piece of all without a gap. */
export interface EntryWindow {
  readonly rows: readonly Entry[];
  /** There are older ones. */
  readonly older: boolean;
  /** There are newer ones that are not shown, because older ones are. */
  readonly newer: boolean;
}

export function openWindow({ rows, more }: Pick<EntriesPage, "rows" | "more">): EntryWindow {
  return { rows, older: more, newer: false };
}

/** Puts older entries before those that are shown; the newest ones give way to them. */
export function addOlder(
  window: EntryWindow,
  { rows, more }: Pick<EntriesPage, "rows" | "more">,
): EntryWindow {
  const first = window.rows[0]?.seq ?? Number.POSITIVE_INFINITY;
  const all = [...rows.filter(({ seq }) => seq < first), ...window.rows];
  return {
    rows: all.slice(0, mostEntries),
    older: more,
    newer: window.newer || all.length > mostEntries,
  };
}

/** Puts newer entries behind those that are shown; the oldest ones give way to them. */
export function addNewer(
  window: EntryWindow,
  { rows, head }: Pick<EntriesPage, "rows" | "head">,
): EntryWindow {
  const last = window.rows.at(-1)?.seq ?? 0;
  const all = [...window.rows, ...rows.filter(({ seq }) => seq > last)];
  return {
    rows: all.slice(-mostEntries),
    older: window.older || all.length > mostEntries,
    newer: (all.at(-1)?.seq ?? 0) < head,
  };
}
