import { useEffect, useRef } from "preact/hooks";
import type { CallsAddress } from "../../../../src/server/console/api/index.ts";
import type { RowWindow } from "../../list/row-window.ts";
import { ask } from "../../net/api.ts";
import { useLive } from "../../net/live.ts";
import type { CallRecord } from "./call-types.ts";

/** At most one look for new rows in so long, however many calls there are. */
const everyMs = 400;
const most = 100;

/** Keeps a list of calls up to date: new ones come on top, and those shown that change are read again. */
export function useLiveCalls(rows: RowWindow<CallRecord>, address: CallsAddress, isFiltered: boolean): void {
  const changed = useRef(new Set<string>());
  const timer = useRef(0);
  const run = useRef<AbortController>(undefined);
  const look = async (signal: AbortSignal) => {
    const { rows: shown, atNewest } = rows.state.value;
    const ids = shown.flatMap(({ callId }) => (changed.current.has(callId) ? [callId] : [])).slice(0, most);
    changed.current.clear();
    const newest = shown[0]?.seq ?? 0;
    const [fresh, again] = await Promise.all([
      atNewest
        ? ask("GET /calls", { query: { ...address, after: String(newest), limit: "80" } }, signal)
        : undefined,
      ids.length > 0
        ? ask("GET /calls", { query: { callIds: ids.join(","), limit: String(ids.length) } }, signal)
        : undefined,
    ]);
    if (again !== undefined) rows.replace(new Map(again.rows.map((row) => [row.seq, row])));
    if (fresh === undefined) return;
    // More than a page at once: what is shown would have a hole.
    if (fresh.more) await rows.open();
    else rows.prepend(fresh.rows.toReversed());
  };
  useLive(({ events, all }) => {
    const calls = events.filter(({ kind }) => kind === "call");
    if (!all && calls.length === 0) return;
    for (const { id } of calls) if (changed.current.size < 5000) changed.current.add(id);
    if (timer.current !== 0) return;
    timer.current = window.setTimeout(() => {
      run.current?.abort();
      run.current = new AbortController();
      // What can't be read now is read at the next change.
      void look(run.current.signal)
        .catch(() => undefined)
        .finally(() => {
          timer.current = 0;
        });
    }, everyMs);
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      run.current?.abort();
    },
    [rows, isFiltered],
  );
}
