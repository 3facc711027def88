import type { VNode } from "preact";
import { BarPlot } from "../../parts/bar-plot.tsx";
import { formatCount, formatCounted, formatMicros, formatMs } from "../../text/format.ts";
import { type CallCount, type CostAnswer, type UsageTotalJson, writeSpent } from "./figures.tsx";

const dayMs = 86_400_000;

interface Day {
  /** `2026-01-31` */
  readonly name: string;
  readonly usage: UsageTotalJson | undefined;
  readonly calls: CallCount | undefined;
}

/** Every day of the span, those with nothing too. Days of models are the machine's, those of calls are of UTC. */
function listDays({ from, to, byDay, callsByDay }: CostAnswer): readonly Day[] {
  const usage = new Map(byDay.map((one) => [one.day ?? "", one]));
  const calls = new Map(
    callsByDay.map((one) => [new Date(Number(one.value)).toISOString().slice(0, 10), one]),
  );
  const count = Math.round((Date.parse(to) - Date.parse(from)) / dayMs) + 1;
  return Array.from({ length: count }, (_, at) => {
    const name = new Date(Date.parse(from) + at * dayMs).toISOString().slice(0, 10);
    return { name, usage: usage.get(name), calls: calls.get(name) };
  });
}

/** What each day cost, and how its calls went. */
export function DayPlots({ cost }: { readonly cost: CostAnswer }): VNode {
  const days = listDays(cost);
  return (
    <>
      <div class="plots">
        <BarPlot
          title="Spent"
          format={formatMicros}
          bars={days.map(({ name, usage }) => ({
            name,
            value: usage?.costMicros ?? 0,
            incomplete: (usage?.unpriced ?? 0) > 0,
            title: `${name}: ${usage === undefined ? "no request" : writeSpent(usage)}`,
          }))}
        />
        <BarPlot
          title="Tokens"
          format={formatCount}
          bars={days.map(({ name, usage }) => ({
            name,
            value: usage?.totalTokens ?? 0,
            title: `${name}: ${formatCounted(usage?.totalTokens ?? 0, "token")}`,
          }))}
        />
        <BarPlot
          title="Calls of tools by day of UTC, failed ones marked"
          format={formatCount}
          bars={days.map(({ name, calls }) => ({
            name,
            value: calls?.calls ?? 0,
            bad: calls?.failed ?? 0,
            title: `${name}: ${formatCounted(calls?.calls ?? 0, "call")}, ${formatCount(calls?.failed ?? 0)} failed`,
          }))}
        />
        <BarPlot
          title="Slow calls: 95 % took no longer"
          format={formatMs}
          bars={days.map(({ name, calls }) => ({
            name,
            value: calls?.p95Ms ?? 0,
            title: `${name}: ${calls?.p95Ms === undefined ? "no call ended" : formatMs(calls.p95Ms)}`,
          }))}
        />
      </div>
      {days.some(({ usage }) => (usage?.unpriced ?? 0) > 0) && (
        <p class="dim">
          <i class="unknown-sign" aria-hidden="true" /> The day has requests whose price nobody knows: it cost
          more than is shown. <code>haft models</code> says which models have a price.
        </p>
      )}
      <details class="cost-table">
        <summary>As a table: {formatCounted(days.length, "day")}</summary>
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Days as a table">
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {["Spent", "Requests", "Tokens", "Calls", "Failed", "p50", "p95", "p99"].map((name) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days.toReversed().map(({ name, usage, calls }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="number">{usage === undefined ? "" : writeSpent(usage)}</td>
                  <td class="number">{usage === undefined ? "" : formatCount(usage.calls)}</td>
                  <td class="number">{usage === undefined ? "" : formatCount(usage.totalTokens)}</td>
                  <td class="number">{calls === undefined ? "" : formatCount(calls.calls)}</td>
                  <td class="number">{calls === undefined ? "" : formatCount(calls.failed)}</td>
                  <td class="number">{writeMs(calls?.p50Ms)}</td>
                  <td class="number">{writeMs(calls?.p95Ms)}</td>
                  <td class="number">{writeMs(calls?.p99Ms)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

export function writeMs(ms: number | undefined): string {
  return ms === undefined ? "" : formatMs(ms);
}
