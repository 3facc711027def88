import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ask, type RequestFault, toFault } from "../../net/api.ts";
import { useLiveReload } from "../../net/live.ts";
import { addNewer, addOlder, type EntryWindow, openWindow, pageEntries } from "./entry-window.ts";
import type { EntriesPage } from "./types.ts";

/** What is known of a session: how it stands, and a piece of its entries. */
export interface KnownSession {
  readonly page: EntriesPage | undefined;
  readonly window: EntryWindow;
  readonly fault: RequestFault | undefined;
  /** Reads what is new. */
  readonly refresh: () => Promise<void>;
  readonly showOlder: () => Promise<void>;
  readonly showNewer: () => Promise<void>;
  /** Goes back to the newest entries. */
  readonly showNewest: () => Promise<void>;
}

interface Known {
  readonly page: EntriesPage | undefined;
  readonly window: EntryWindow;
  readonly fault: RequestFault | undefined;
}

const nothing: Known = {
  page: undefined,
  window: { rows: [], older: false, newer: false },
  fault: undefined,
};

export function useEntries(id: string): KnownSession {
  const [known, setKnown] = useState(nothing);
  const latest = useRef(known);
  const chain = useRef(Promise.resolve());

  // One request after the other: what the next one asks for depends on what the last one brought.
  const inTurn = useCallback((work: (now: Known) => Promise<Known>): Promise<void> => {
    chain.current = chain.current.then(async () => {
      try {
        latest.current = await work(latest.current);
      } catch (error) {
        latest.current = { ...latest.current, fault: toFault(error) };
      }
      setKnown(latest.current);
    });
    return chain.current;
  }, []);
  const read = useCallback(
    (query: { readonly before?: number; readonly after?: number }) => {
      const { before, after } = query;
      return ask("GET /chat/sessions/:id", {
        segments: { id },
        query: {
          limit: String(pageEntries),
          ...(before !== undefined && { before: String(before) }),
          ...(after !== undefined && { after: String(after) }),
        },
      });
    },
    [id],
  );
  const showNewest = useCallback(
    () =>
      inTurn(async () => {
        const page = await read({});
        return { page, window: openWindow(page), fault: undefined };
      }),
    [read],
  );
  const showNewer = useCallback(
    () =>
      inTurn(async ({ window }) => {
        const page = await read({ after: window.rows.at(-1)?.seq ?? 0 });
        return { page, window: addNewer(window, page), fault: undefined };
      }),
    [read],
  );
  const refresh = useCallback(
    () =>
      inTurn(async ({ window }) => {
        const page = await read({ after: window.rows.at(-1)?.seq ?? 0 });
        // Somebody who reads older entries keeps them.
        return {
          page,
          window: window.newer
            ? { ...window, newer: (window.rows.at(-1)?.seq ?? 0) < page.head }
            : addNewer(window, page),
          fault: undefined,
        };
      }),
    [read],
  );
  const showOlder = useCallback(
    () =>
      inTurn(async ({ window }) => {
        const page = await read({ before: window.rows[0]?.seq ?? 1 });
        return { page, window: addOlder(window, page), fault: undefined };
      }),
    [read],
  );
  useEffect(() => void showNewest(), [showNewest]);
  useLiveReload(["session", "run"], () => void refresh(), 300);
  return { ...known, refresh, showOlder, showNewer, showNewest };
}
