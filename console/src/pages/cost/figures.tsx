import type { VNode } from "preact";
import type { AnswerTo } from "../../net/api.ts";
import { formatCount, formatCounted, formatMicros, formatMs } from "../../text/format.ts";

export type CostAnswer = AnswerTo<"GET /cost">;
export type UsageTotalJson = CostAnswer["total"];
export type CallCount = CostAnswer["byTool"][number];

/** Money that was spent. What nobody knows the price of is said, and is never nothing. */
export function writeSpent({
  costMicros,
  unpriced,
}: Pick<UsageTotalJson, "costMicros" | "unpriced">): string {
  const known = formatMicros(costMicros ?? 0);
  if (unpriced === 0) return known;
  return costMicros === null || costMicros === 0
    ? "unpriced"
    : `${known} + ${formatCount(unpriced)} unpriced`;
}

/** The sums of a span of time, as names, texts, and what else there is to say. */
export function listSums(
  total: UsageTotalJson,
  byTool: readonly CallCount[],
): readonly (readonly [name: string, value: string, note: string])[] {
  const calls = byTool.reduce((sum, one) => sum + one.calls, 0);
  const failed = byTool.reduce((sum, one) => sum + one.failed, 0);
  return [
    [
      "Spent",
      writeSpent(total),
      total.unpriced > 0 ? `${formatCounted(total.unpriced, "request")} of unknown price not in it` : "",
    ],
    [
      "Tokens",
      formatCount(total.totalTokens),
      `${formatCount(total.inputTokens)} in, ${formatCount(total.cacheReadTokens)} of them cached; ${formatCount(total.outputTokens)} out`,
    ],
    [
      "Requests to models",
      formatCount(total.calls),
      `${formatCount(total.failed)} failed; ${formatMs(total.ms)} in all`,
    ],
    ["Calls of tools", formatCount(calls), `${formatCount(failed)} failed`],
  ];
}

export function Figures({ cost }: { readonly cost: CostAnswer }): VNode {
  return (
    <dl class="cost-figures">
      {listSums(cost.total, cost.byTool).map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {value}
            {note !== "" && <small class="dim">{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
