import type { VNode } from "preact";
import { kindWords, type SpanKind } from "./trace-model.ts";

const kinds = Object.keys(kindWords) as readonly SpanKind[];

/** What colours, patterns and lines of the chart mean. */
export function Legend(): VNode {
  return (
    <ul class="trace-legend" aria-label="What the bars mean">
      {kinds.map((kind) => (
        <li key={kind}>
          <i class="swatch" data-ink={kind} aria-hidden="true" />
          {kindWords[kind]}
        </li>
      ))}
      <li>
        <i class="swatch" data-ink="critical" aria-hidden="true" />
        critical path
      </li>
      <li>
        <span class="bad-sign" aria-hidden="true">
          ✕
        </span>{" "}
        failed
      </li>
    </ul>
  );
}
