import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { shellWord } from "../../../../src/base/index.ts";
import { useLiveReload } from "../../net/live.ts";
import { type Asked, useAnswer } from "../../net/use-answer.ts";
import { Fault, Loading } from "../../parts/states.tsx";
import { Time } from "../../parts/time.tsx";
import { address, go, toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";
import { Text } from "../../text/text.tsx";
import { Chart, type ChartView } from "./chart.tsx";
import { Compare, CompareForm } from "./compare.tsx";
import type { TimeRange } from "./draw.ts";
import { Legend } from "./legend.tsx";
import { SpanDetails } from "./span-details.tsx";
import { SpanTable } from "./span-table.tsx";
import { Summary } from "./summary.tsx";
import { toTraceHref } from "./trace-index.tsx";
import { nameSpan, type Span, Trace, type TraceColumns } from "./trace-model.ts";

type Change = (changed: Readonly<Record<string, string | undefined>>, replace?: boolean) => void;

/** Shows where the time of a call or a run went; beside another one if the address names it. */
export function TracePage({ id, query }: { readonly id: string; readonly query: URLSearchParams }): VNode {
  const other = query.get("with") ?? "";
  const asked = useAnswer("GET /trace/:id", { segments: { id } });
  const trace = useTrace(asked);
  const change: Change = (changed, replace = false) =>
    go(toTraceHref(id, { ...Object.fromEntries(address.value.query), ...changed }), { replace });
  const root = trace?.getSpan(0);
  return (
    <Page
      title={root === undefined ? "Trace" : `Trace of ${nameSpan(root)}`}
      command={
        other === ""
          ? `haft trace ${shellWord(id)}`
          : `haft trace ${shellWord(id)}; haft trace ${shellWord(other)}`
      }
      class="trace-page"
      head={trace && <Time at={trace.columns.from} />}
    >
      {asked.fault !== undefined && <TraceFault asked={asked} />}
      {trace === undefined ? (
        asked.fault === undefined && <Loading />
      ) : (
        <>
          <Bar query={query} change={change} />
          {other === "" ? (
            <>
              <Summary totals={trace.sum()} />
              <Explore trace={trace} query={query} prefix="" change={change} />
              <CompareForm trace={trace} compare={(to) => change({ with: to })} />
            </>
          ) : (
            <Beside trace={trace} other={other} query={query} change={change} />
          )}
        </>
      )}
    </Page>
  );
}

/** The trace of an answer; one that is under way is asked for again when something changes. */
function useTrace({ answer, reload }: Asked<TraceColumns>): Trace | undefined {
  const trace = useMemo(() => answer && new Trace(answer), [answer]);
  useLiveReload(
    ["call", "question", "run"],
    () => {
      if (trace?.underWay) reload();
    },
    1000,
  );
  return trace;
}

function TraceFault({ asked }: { readonly asked: Asked<TraceColumns> }): VNode {
  return (
    <>
      {asked.fault !== undefined && <Fault fault={asked.fault} retry={asked.reload} />}
      {asked.fault?.code === "CONSOLE_NOT_FOUND" && (
        <p>
          <a href={toHref("trace")}>What there are traces of</a>
        </p>
      )}
    </>
  );
}

/** How the trace is shown. */
function Bar({ query, change }: { readonly query: URLSearchParams; readonly change: Change }): VNode {
  const view = readView(query);
  const to = (name: ChartView) => {
    const changed = new URLSearchParams(query);
    changed.set("view", name === "flame" ? "flame" : "");
    return toHref(location.pathname.replace(/^\/console\//, ""), Object.fromEntries(changed));
  };
  return (
    <div class="trace-bar">
      <nav class="tabs" aria-label="View">
        <a href={to("waterfall")} aria-current={view === "waterfall" ? "true" : undefined}>
          Waterfall
        </a>
        <a href={to("flame")} aria-current={view === "flame" ? "true" : undefined}>
          Flame
        </a>
      </nav>
      <label class="trace-check">
        <input
          type="checkbox"
          checked={query.has("critical")}
          onChange={(event) => change({ critical: event.currentTarget.checked ? "1" : undefined })}
        />
        Critical path alone
      </label>
      <Legend />
    </div>
  );
}

/** The chart of one trace, the details of the chosen span, and the table behind. */
function Explore({
  trace,
  query,
  prefix,
  change,
}: {
  readonly trace: Trace;
  readonly query: URLSearchParams;
  /** What the fields of the address begin with, since the second of two traces has its own. */
  readonly prefix: string;
  readonly change: Change;
}): VNode {
  const chosen = trace.findPlace(query.get(`${prefix}span`) ?? "");
  const criticalAlone = query.has("critical");
  const choose = (place: number) =>
    change({ [`${prefix}span`]: place < 0 ? undefined : trace.columns.id[place] }, true);
  const root = trace.getSpan(0);
  const range = readRange(query.get(`${prefix}seen`), trace);
  return (
    <div class="trace-explore" data-chosen={chosen >= 0}>
      <Chart
        trace={trace}
        view={readView(query)}
        criticalAlone={criticalAlone}
        chosen={chosen}
        choose={choose}
        range={range}
        setRange={({ from, to }) =>
          change(
            { [`${prefix}seen`]: to - from >= trace.ms ? undefined : `${toText(from)}-${toText(to)}` },
            true,
          )
        }
        open={(place) => {
          const href = findHref(trace.getSpan(place));
          if (href !== undefined) go(href);
        }}
        label={`Spans of ${nameSpan(root)} over time. Arrows choose a span, Enter opens its call, plus and minus zoom, Shift with left and right moves, F fits the span, 0 shows all. The table below has the same.`}
      />
      {chosen >= 0 && (
        <SpanDetails
          trace={trace}
          span={trace.getSpan(chosen)}
          href={findHref(trace.getSpan(chosen))}
          choose={choose}
        />
      )}
      <SpanTable trace={trace} criticalAlone={criticalAlone} choose={choose} chosen={chosen} />
    </div>
  );
}

function Beside({
  trace,
  other,
  query,
  change,
}: {
  readonly trace: Trace;
  readonly other: string;
  readonly query: URLSearchParams;
  readonly change: Change;
}): VNode {
  const asked = useAnswer("GET /trace/:id", { segments: { id: other } });
  const second = useTrace(asked);
  return (
    <>
      {asked.fault !== undefined && <TraceFault asked={asked} />}
      <p class="trace-bar">
        <button
          type="button"
          onClick={() => change({ with: undefined, withspan: undefined, withseen: undefined })}
        >
          Show the first alone
        </button>
        <a href={toTraceHref(other, { with: trace.columns.id[0] })}>Swap the two</a>
      </p>
      {second === undefined ? (
        asked.fault === undefined && <Loading />
      ) : (
        <>
          <Compare one={trace} two={second} />
          <div class="trace-two">
            {[
              { name: "First", shown: trace, prefix: "" },
              { name: "Second", shown: second, prefix: "with" },
            ].map(({ name, shown, prefix }) => (
              <section key={name} class="section" aria-label={`${name} trace`}>
                <h2>
                  {name}: <Text value={nameSpan(shown.getSpan(0))} oneLine />
                </h2>
                <Explore trace={shown} query={query} prefix={prefix} change={change} />
              </section>
            ))}
          </div>
        </>
      )}
    </>
  );
}

/** The page that has more of a span. */
function findHref({ kind, id }: Span): string | undefined {
  if (kind === "call") return toHref(`calls/${encodeURIComponent(id)}`);
  if (kind === "person") return toHref(`questions/${encodeURIComponent(id)}`);
  return kind === "turn" ? toHref(`calls/${encodeURIComponent(id.replace(/\.turn$/, ""))}`) : undefined;
}

function readView(query: URLSearchParams): ChartView {
  return query.get("view") === "flame" ? "flame" : "waterfall";
}

function readRange(text: string | null, trace: Trace): TimeRange {
  const [, first = "", last = ""] = /^([\d.]+)-([\d.]+)$/.exec(text ?? "") ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === "" || !(from < to) || from >= trace.ms) return { from: 0, to: trace.ms };
  return { from, to: Math.min(to, trace.ms) };
}

function toText(ms: number): string {
  return String(Number(ms.toFixed(3)));
}
