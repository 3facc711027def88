import type { VNode } from "preact";
import { Facts } from "../../parts/facts.tsx";
import { StateMark } from "../../parts/state-mark.tsx";
import { formatCount, formatMicros, formatMs } from "../../text/format.ts";
import { LongText, Text } from "../../text/text.tsx";
import { kindWords, nameSpan, type Span, type Trace } from "./trace-model.ts";

const links: Readonly<Record<Span["kind"], string>> = {
  call: "Open the call",
  person: "Open the question",
  turn: "Open the call",
  run: "",
  model: "",
};

/** What is known of the span that is chosen. */
export function SpanDetails({
  trace,
  span,
  href,
  choose,
}: {
  readonly trace: Trace;
  readonly span: Span;
  readonly href: string | undefined;
  readonly choose: (place: number) => void;
}): VNode {
  const parent = span.parent < 0 ? undefined : trace.getSpan(span.parent);
  return (
    <section class="trace-details" aria-label="The chosen span">
      <div class="section-head">
        <h2>
          <Text value={nameSpan(span)} oneLine />
        </h2>
        <button type="button" class="quiet" onClick={() => choose(-1)}>
          Close
        </button>
      </div>
      <Facts
        facts={[
          ["What", kindWords[span.kind]],
          ["Outcome", <StateMark key="state" state={span.state} code={span.code} />],
          ["Code", span.code && <Text value={span.code} />],
          ["Began", `after ${formatMs(span.from)}`],
          [
            "Took",
            span.underWay ? `${formatMs(span.to - span.from)}, and goes on` : formatMs(span.to - span.from),
          ],
          ["Share", `${((100 * (span.to - span.from)) / trace.ms).toFixed(1)} % of the whole`],
          ["Path", span.critical ? "on the critical path" : "beside the critical path"],
          ["Tokens", span.tokens !== undefined && formatCount(span.tokens)],
          [
            "Cost",
            span.kind === "model" &&
              (span.costMicros === undefined ? "price unknown" : formatMicros(span.costMicros)),
          ],
          [
            "Within",
            parent && (
              <button type="button" class="quiet" onClick={() => choose(parent.place)}>
                <Text value={nameSpan(parent)} oneLine />
              </button>
            ),
          ],
          ["ID", <Text key="id" value={span.id} oneLine />],
        ]}
      />
      {span.about !== "" && (
        <LongText value={span.about} label={span.kind === "call" ? "Arguments" : "About it"} />
      )}
      {href !== undefined && (
        <p>
          <a href={href}>{links[span.kind]}</a>
        </p>
      )}
    </section>
  );
}
