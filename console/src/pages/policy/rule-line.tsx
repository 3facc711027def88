import type { VNode } from "preact";
import { isRecord, parseJson } from "../../../../src/base/index.ts";
import { Text } from "../../text/text.tsx";

/** `allow`, `ask` or `deny`, in a colour of its own. */
export function DecisionWord({ decision }: { readonly decision: string }): VNode {
  return (
    <strong class="decision-word" data-decision={decision}>
      <Text value={decision} oneLine />
    </strong>
  );
}

/** A rule in one line: what it decides, and for which calls. */
export function RuleLine({ rule }: { readonly rule: object }): VNode {
  const { decision, reason, ...fields } = Object.fromEntries(Object.entries(rule)) as Record<string, unknown>;
  const conditions = Object.entries(fields).filter(([, value]) => value !== undefined);
  return (
    <span class="rule-line">
      <DecisionWord decision={String(decision)} />
      {conditions.length === 0 && <span class="dim">every call</span>}
      {conditions.map(([name, value]) => (
        <span key={name} class="condition">
          <span class="dim">
            <Text value={name} oneLine />
          </span>{" "}
          <code>
            <Text value={typeof value === "string" ? value : JSON.stringify(value)} oneLine />
          </code>
        </span>
      ))}
      {typeof reason === "string" && (
        <span class="dim">
          because <Text value={reason} oneLine />
        </span>
      )}
    </span>
  );
}

/** What decided, as the ledger has it: the JSON of a rule, `default`, or who said so. */
export function DecidedBy({ by }: { readonly by: string }): VNode {
  if (by === "default") return <span class="dim">no rule names it</span>;
  const rule = parseJson(by);
  return isRecord(rule) ? <RuleLine rule={rule} /> : <Text value={by} oneLine />;
}
