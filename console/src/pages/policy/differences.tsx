import type { VNode } from "preact";
import type { AnswerTo } from "../../net/api.ts";
import { Section } from "../../parts/section.tsx";
import { Time } from "../../parts/time.tsx";
import { toHref } from "../../shell/address.ts";
import { formatCount, formatCounted } from "../../text/format.ts";
import { Text } from "../../text/text.tsx";
import { DecidedBy, DecisionWord } from "./rule-line.tsx";

/** Which of the newest calls other rules would decide otherwise. */
export function Differences({ report }: { readonly report: AnswerTo<"POST /policy/try"> }): VNode {
  const { calls, passedOver, differences } = report;
  return (
    <Section title="What would change">
      <p class="dim">
        {calls === 0
          ? "There are no calls yet to judge again."
          : `${formatCounted(calls, "call")} ${calls === 1 ? "was" : "were"} looked at.`}
        {passedOver > 0 &&
          ` ${formatCount(passedOver)} of them can't be judged again: their arguments are not kept whole, or their tool is gone.`}
      </p>
      {differences.length === 0 ? (
        <p class="no-change">No call would be decided otherwise.</p>
      ) : (
        <ul class="differences">
          {differences.map(({ tool, now, instead, by, count, example }) => (
            <li key={`${tool} ${now} ${instead}`}>
              <p>
                <strong>{formatCounted(count, "call")}</strong> of <Text value={tool} oneLine />:{" "}
                <DecisionWord decision={now} /> <span aria-hidden="true">→</span>
                <span class="unseen">becomes</span> <DecisionWord decision={instead} />
              </p>
              <p class="dim">
                by <DecidedBy by={by} />
              </p>
              <p class="example dim">
                The newest, <Time at={example.startedAt} seconds={false} />:{" "}
                <a href={toHref(`calls/${encodeURIComponent(example.callId)}`)}>
                  <Text value={example.paramsText.slice(0, 160)} oneLine />
                </a>
              </p>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
