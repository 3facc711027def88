import type { VNode } from "preact";
import { isRecord, parseJson } from "../../../../src/base/index.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { toHref } from "../../shell/address.ts";
import { LongText, Text } from "../../text/text.tsx";
import type { CallRecord } from "./call-types.ts";
import { writeRule } from "./write-forms.ts";

/** What was decided, by what, and how to decide the same by a rule. */
export function Decision({ call }: { readonly call: CallRecord }): VNode {
  const { decision } = call;
  return (
    <>
      {decision === undefined ? (
        <p class="dim">It ended before anything was decided.</p>
      ) : (
        <p class="decision">
          <strong class="decision-word" data-decision={decision.decision}>
            {decision.decision}
          </strong>{" "}
          <By by={decision.by} />
        </p>
      )}
      <details class="rule">
        <summary>Allow this by a rule</summary>
        <p class="dim">
          In <code>haft.config.yml</code>. A rule that denies or asks goes before it.{" "}
          <code>haft policy explain</code> names the narrowest rule for a call.
        </p>
        <LongText value={writeRule(call)} label="The rule" />
        <p class="rule-ways">
          <a href={toHref("policy/edit", { call: call.callId })}>See what it would change, and save it</a>
          <CopyButton text={writeRule(call)} label="the rule" show="Copy" />
        </p>
      </details>
    </>
  );
}

/** A rule is recorded as its JSON; else it says who or what decided. */
function By({ by }: { readonly by: string }): VNode {
  if (by === "default") return <span>No rule names this call.</span>;
  const rule = parseJson(by);
  if (!isRecord(rule)) {
    const [kind = "", ...rest] = by.split(":");
    const words: Readonly<Record<string, string>> = { grant: "by the remembered answer", person: "by" };
    return (
      <span>
        {Object.hasOwn(words, kind) ? words[kind] : `by ${kind}`} <Text value={rest.join(":")} />
      </span>
    );
  }
  const { reason, decision: _, ...fields } = rule;
  return (
    <>
      <span>by the rule</span>
      <dl class="rule-fields">
        {Object.entries(fields).map(([name, value]) => (
          <div key={name}>
            <dt>
              <Text value={name} />
            </dt>
            <dd>
              <Text value={typeof value === "string" ? value : JSON.stringify(value)} />
            </dd>
          </div>
        ))}
      </dl>
      {typeof reason === "string" && (
        <span class="dim">
          <Text value={reason} />
        </span>
      )}
    </>
  );
}
