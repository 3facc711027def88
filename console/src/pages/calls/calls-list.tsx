import type { VNode } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { CallsAddress } from "../../../../src/server/console/api/index.ts";
import { createSeqAxis } from "../../list/axis.ts";
import { createListPort, LongList } from "../../list/long-list.tsx";
import { RowWindow } from "../../list/row-window.ts";
import type { ListColumn } from "../../list/shown-rows.tsx";
import { ask, toFault } from "../../net/api.ts";
import { StateMark } from "../../parts/state-mark.tsx";
import { Empty, Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { go, toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { formatCounted, formatMs } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import type { CallRecord } from "./call-types.ts";
import { FilterBar } from "./filter-bar.tsx";
import { type FilterName, orderFilters, readFilters, toCallsAddress, toCommand } from "./filters.ts";
import { Histogram, useHistogram } from "./histogram.tsx";
import { useLiveCalls } from "./live-calls.ts";

const columns: readonly ListColumn<CallRecord>[] = [
  { name: "Time", class: "c-time", show: ({ startedAt }) => <Time at={startedAt} /> },
  {
    name: "Tool",
    class: "c-tool",
    show: ({ toolName, parent }) => (
      <>
        <Text value={toolName} />
        {parent !== undefined && (
          <span class="dim">
            {" in "}
            <Text value={parent.toolName} />
          </span>
        )}
      </>
    ),
  },
  { name: "Outcome", class: "c-state", show: ({ state, code }) => <StateMark state={state} code={code} /> },
  {
    name: "Took",
    class: "c-took",
    show: ({ durationMs }) => (durationMs === undefined ? "" : formatMs(durationMs)),
  },
  {
    name: "By",
    class: "c-by",
    show: ({ agentId, client, channel }) => <Text value={agentId ?? client?.name ?? channel ?? ""} />,
  },
  {
    name: "Arguments",
    class: "c-args",
    show: ({ paramsText, erased }) =>
      erased ? <span class="dim">erased</span> : <Text value={paramsText.slice(0, 400)} oneLine />,
  },
];

/** The list of calls, newest first, with what narrows it in the address. */
export function CallsList({ query }: { readonly query: URLSearchParams }): VNode {
  const filters = readFilters(query);
  const key = JSON.stringify(filters);
  const address = useMemo(() => toCallsAddress(filters, Date.now()), [key]);
  const isFiltered = Object.keys(filters).length > 0;
  const change = (changed: Readonly<Partial<Record<FilterName, string>>>) =>
    go(toHref("calls", orderFilters({ ...filters, ...changed })), { replace: true });
  return (
    <Page
      title="Calls"
      command={toCommand(filters)}
      class="calls-page"
      head={<FilterBar filters={filters} change={change} />}
    >
      <Rows key={key} address={address} isFiltered={isFiltered} clear={() => go(toHref("calls"))} />
    </Page>
  );
}

function Rows({
  address,
  isFiltered,
  clear,
}: {
  readonly address: CallsAddress;
  readonly isFiltered: boolean;
  readonly clear: () => void;
}): VNode {
  const port = useMemo(createListPort, []);
  const head = useRef(0);
  const [opened, setOpened] = useState(false);
  const rows = useMemo(
    () =>
      new RowWindow<CallRecord>({
        load: async (start, limit, signal) => {
          const page = await ask(
            "GET /calls",
            {
              query: {
                ...address,
                limit: String(limit),
                ...(start.toward === "newer" && { after: String(start.after) }),
                ...(start.toward === "older" &&
                  start.before !== undefined && { before: String(start.before) }),
                ...(start.toward === "older" && start.until !== undefined && { until: String(start.until) }),
              },
            },
            signal,
          );
          head.current = page.head;
          return page;
        },
        getRowHeight: () => port.rowHeight,
        getViewport: () => port.viewport,
        setScrollTop: (pixels) => port.setScrollTop(pixels),
      }),
    [address],
  );
  const open = () =>
    rows.open().then((done) => {
      if (!done) return;
      const { rows: sample, atOldest } = rows.state.value;
      if (!isFiltered && !atOldest) rows.setAxis(createSeqAxis(head.current, sample));
      setOpened(true);
    });
  useEffect(() => {
    void open();
    return () => rows.close();
  }, [rows]);
  const histogram = useHistogram(address, opened);
  const { rows: shown, atOldest, atNewest, loaded, fault } = rows.state.value;
  useEffect(() => {
    if (isFiltered && opened && histogram !== undefined) rows.setAxis(histogram.axis);
  }, [histogram, opened]);
  useLiveCalls(rows, address, isFiltered);

  const retry = () => void open();
  if (!loaded) return <Loading />;
  if (fault !== undefined && shown.length === 0) return <Fault fault={toFault(fault)} retry={retry} />;
  if (shown.length === 0 && atNewest && atOldest)
    return isFiltered ? (
      <Empty title="No call fits">
        <p>Other words, another tool or a longer time may.</p>
        <button type="button" onClick={clear}>
          Show all calls
        </button>
      </Empty>
    ) : (
      <Empty title="No calls yet">
        <p>
          Everything that an agent does by haft is recorded here. Make a first call:{" "}
          <code>haft call listdir --arg path=.</code>
        </p>
      </Empty>
    );
  return (
    <>
      {histogram !== undefined && (
        <Histogram
          histogram={histogram}
          choose={(at) => {
            const { height } = rows.state.value;
            const fraction = histogram.axis.locate({ seq: 0, startedAt: at });
            port.setScrollTop(fraction * Math.max(0, height - port.viewport.height));
            rows.look();
          }}
        />
      )}
      {fault !== undefined && <Fault fault={toFault(fault)} retry={() => rows.look()} />}
      <LongList
        rows={rows}
        port={port}
        label="Calls"
        columns={columns}
        getHref={({ callId }) => toHref(`calls/${encodeURIComponent(callId)}`)}
        open={({ callId }) => go(toHref(`calls/${encodeURIComponent(callId)}`))}
      />
      {histogram !== undefined && (
        <p class="list-foot dim">
          {formatCounted(histogram.calls, "call")}
          {histogram.failed > 0 && `, ${formatCounted(histogram.failed, "failure")}`}
        </p>
      )}
    </>
  );
}
