// The styles of questions come first, as in a session.
import "../questions/questions.css";
import "../chat/chat.css";
import type { VNode } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { Section } from "../../parts/section.tsx";
import { Fault, Loading } from "../../parts/states.tsx";
import { toHref } from "../../shell/address.ts";
import { EntryView } from "../chat/entry-view.tsx";
import { RunMark } from "../chat/run-mark.tsx";
import { isUnderWay } from "../chat/run-state.ts";
import type { Result } from "../chat/types.ts";
import { useEntries } from "../chat/use-entries.ts";

/** Entries that are shown; the chat has all. */
const mostEntries = 30;

/** What an agent says and does for a task, as it comes. */
export function TaskLog({ sessionId, runId }: { readonly sessionId: string; readonly runId: string }): VNode {
  const { page, window, fault, showNewest } = useEntries(sessionId);
  const run = page?.run ?? null;
  const rows = window.rows.slice(-mostEntries);
  const results = useMemo(
    () =>
      new Map<string, Result>(
        rows.flatMap((entry) => (entry.kind === "result" ? [[entry.callId, entry] as const] : [])),
      ),
    [window],
  );
  const log = useRef<HTMLDivElement>(null);
  const last = rows.at(-1)?.seq;
  const wasAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (log.current !== null && wasAtEnd.current) log.current.scrollTop = log.current.scrollHeight;
  }, [last]);
  return (
    <Section
      title="Log"
      aside={
        <span class="task-facts">
          <RunMark run={run} />
          <a href={toHref(`chat/${encodeURIComponent(sessionId)}`)}>The whole session</a>
          <a href={toHref(`trace/${encodeURIComponent(runId)}`)}>Trace</a>
        </span>
      }
    >
      {fault !== undefined && <Fault fault={fault} retry={() => void showNewest()} />}
      {page === undefined ? (
        fault === undefined && <Loading />
      ) : (
        <div
          ref={log}
          class="task-log"
          tabIndex={0}
          role="region"
          aria-label="What the agent says and does"
          onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
            wasAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
          }}
        >
          {rows.map((entry) =>
            entry.kind === "result" ? null : (
              <EntryView
                key={entry.seq}
                entry={entry}
                results={results}
                isOpen={run !== null && isUnderWay(run) && entry.runId === run.id}
              />
            ),
          )}
          {rows.length === 0 && <p class="dim">Nothing was said yet.</p>}
        </div>
      )}
    </Section>
  );
}
