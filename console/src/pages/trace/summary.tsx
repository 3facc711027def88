import type { VNode } from "preact";
import { formatCount, formatCounted, formatMicros, formatMs } from "../../text/format.ts";
import type { SpanKind, Totals } from "./trace-model.ts";

/** Money that was spent, with what nobody knows the price of: that is never nothing. */
function writeCost({ costMicros, unpriced }: Pick<Totals, "costMicros" | "unpriced">): string {
  if (unpriced === 0) return formatMicros(costMicros);
  return costMicros === 0
    ? formatCounted(unpriced, "unpriced request")
    : `${formatMicros(costMicros)} + ${formatCount(unpriced)} unpriced`;
}

/** What a trace comes to, as names and texts. */
export function listFigures(totals: Totals): readonly (readonly [name: string, value: string])[] {
  const { byKind } = totals;
  const sum = (kind: SpanKind) => {
    const known = byKind.get(kind);
    return known === undefined ? "none" : formatMs(known.ms);
  };
  const requests = byKind.get("model")?.spans ?? 0;
  return [
    ["Took", formatMs(totals.ms)],
    ["Calls of tools", formatCount(byKind.get("call")?.spans ?? 0)],
    ["Failed", formatCount(totals.failed)],
    ["Waited for people", sum("person")],
    ["Waited for a turn", sum("turn")],
    ["Requests to models", requests === 0 ? "none" : `${formatCount(requests)}, ${sum("model")} in all`],
    ["Tokens", formatCount(totals.tokens)],
    ["Cost", requests === 0 ? "none" : writeCost(totals)],
  ];
}

export function Summary({ totals }: { readonly totals: Totals }): VNode {
  return (
    <dl class="trace-figures">
      {listFigures(totals).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
