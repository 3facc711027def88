import type { VNode } from "preact";
import { toHref } from "../../shell/address.ts";
import { formatCount, formatMs } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { writeMs } from "./day-plots.tsx";
import { type CallCount, type UsageTotalJson, writeSpent } from "./figures.tsx";

/** A share of the largest, as a bar in a table. The number beside it says the same. */
function ShareBar({ value, most }: { readonly value: number; readonly most: number }): VNode {
  return (
    <td class="share" aria-hidden="true">
      <i style={{ width: `${most === 0 ? 0 : (100 * value) / most}%` }} />
    </td>
  );
}

/** What each model, agent or purpose cost. */
export function UsageTable({
  name,
  by,
  totals,
}: {
  readonly name: string;
  readonly by: "model" | "agent" | "purpose";
  readonly totals: readonly UsageTotalJson[];
}): VNode {
  // If nothing has a price, tokens say what was used.
  const isPriced = totals.some(({ costMicros }) => (costMicros ?? 0) > 0);
  const measure = (one: UsageTotalJson) => (isPriced ? (one.costMicros ?? 0) : one.totalTokens);
  const most = Math.max(0, ...totals.map(measure));
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={`Usage by ${by}`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            <th scope="col" class="number">
              Spent
            </th>
            <td aria-hidden="true" class="share-head">
              {isPriced ? "" : "by tokens"}
            </td>
            {["Requests", "Failed", "Tokens in", "Tokens out", "Each took"].map((one) => (
              <th key={one} scope="col" class="number">
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {totals.map((one) => (
            <tr key={one[by] ?? ""}>
              <th scope="row">
                <Text value={one[by] ?? "none"} oneLine />
              </th>
              <td class="number">{writeSpent(one)}</td>
              <ShareBar value={measure(one)} most={most} />
              <td class="number">{formatCount(one.calls)}</td>
              <td class="number">{formatCount(one.failed)}</td>
              <td class="number">{formatCount(one.inputTokens)}</td>
              <td class="number">{formatCount(one.outputTokens)}</td>
              <td class="number">{one.calls === 0 ? "" : formatMs(one.ms / one.calls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How the calls of each tool went. */
export function ToolTable({ tools }: { readonly tools: readonly CallCount[] }): VNode {
  const most = Math.max(0, ...tools.map(({ calls }) => calls));
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label="Calls by tool">
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col" class="number">
              Calls
            </th>
            <td aria-hidden="true" class="share-head" />
            {["Failed", "Stopped", "p50", "p95", "p99"].map((one) => (
              <th key={one} scope="col" class="number">
                {one}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tools.map(({ value, calls, failed, stopped, p50Ms, p95Ms, p99Ms }) => (
            <tr key={value}>
              <th scope="row">
                <a href={toHref("calls", { tools: value })}>
                  <Text value={value} oneLine />
                </a>
              </th>
              <td class="number">{formatCount(calls)}</td>
              <ShareBar value={calls} most={most} />
              <td class="number" data-bad={failed > 0}>
                {failed === 0 ? "0" : `${formatCount(failed)} (${((100 * failed) / calls).toFixed(0)} %)`}
              </td>
              <td class="number">{formatCount(stopped)}</td>
              <td class="number">{writeMs(p50Ms)}</td>
              <td class="number">{writeMs(p95Ms)}</td>
              <td class="number">{writeMs(p99Ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
