import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { StateMark } from "../../parts/state-mark.tsx";
import { formatCount, formatCounted, formatMicros, formatMs } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { kindWords, nameSpan, type Span, type Trace } from "./trace-model.ts";

const rowsMore = 200;

/** The spans as a table, for those who do not see the chart. */
export function SpanTable({
  trace,
  criticalAlone,
  chosen,
  choose,
}: {
  readonly trace: Trace;
  readonly criticalAlone: boolean;
  readonly chosen: number;
  readonly choose: (place: number) => void;
}): VNode {
  const [open, setOpen] = useState(false);
  const [shown, setShown] = useState(rowsMore);
  const places = useMemo(() => trace.listPlaces(criticalAlone), [trace, criticalAlone]);
  return (
    <details class="trace-table" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As a table: {formatCounted(places.length, "span")}</summary>
      {open && (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Spans as a table">
          <table>
            <thead>
              <tr>
                <th scope="col">Span</th>
                <th scope="col">What</th>
                <th scope="col">Outcome</th>
                <th scope="col" class="number">
                  Began after
                </th>
                <th scope="col" class="number">
                  Took
                </th>
                <th scope="col" class="number">
                  Tokens
                </th>
                <th scope="col" class="number">
                  Cost
                </th>
                <th scope="col">Critical path</th>
              </tr>
            </thead>
            <tbody>
              {places.slice(0, shown).map((place) => (
                <Row key={place} span={trace.getSpan(place)} chosen={place === chosen} choose={choose} />
              ))}
            </tbody>
          </table>
          {places.length > shown && (
            <button type="button" class="quiet" onClick={() => setShown(shown + rowsMore)}>
              Show more: {formatCounted(places.length - shown, "span")} not shown
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Row({
  span,
  chosen,
  choose,
}: {
  readonly span: Span;
  readonly chosen: boolean;
  readonly choose: (place: number) => void;
}): VNode {
  return (
    <tr data-chosen={chosen}>
      <th scope="row" style={{ paddingLeft: `${0.5 + Math.min(span.depth, 12) * 0.75}rem` }}>
        <button type="button" class="link" aria-pressed={chosen} onClick={() => choose(span.place)}>
          {span.depth > 0 && <span class="unseen">level {span.depth + 1}: </span>}
          <Text value={nameSpan(span)} oneLine />
        </button>
      </th>
      <td>{kindWords[span.kind]}</td>
      <td>
        <StateMark state={span.state} code={span.code} />
      </td>
      <td class="number">{formatMs(span.from)}</td>
      <td class="number">{formatMs(span.to - span.from)}</td>
      <td class="number">{span.tokens === undefined ? "" : formatCount(span.tokens)}</td>
      <td class="number">
        {span.costMicros !== undefined
          ? formatMicros(span.costMicros)
          : span.kind === "model"
            ? "unpriced"
            : ""}
      </td>
      <td>{span.critical ? "yes" : "no"}</td>
    </tr>
  );
}
