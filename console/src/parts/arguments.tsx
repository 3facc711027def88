import type { VNode } from "preact";
import { showInvisible } from "../../../src/base/index.ts";
import { LongText, Text } from "../text/text.tsx";

/** Shows the arguments of a call by name: texts as they are, everything else as JSON. */
export function Arguments({ params }: { readonly params: unknown }): VNode {
  if (typeof params !== "object" || params === null || Array.isArray(params))
    return <LongText value={formatValue(params)} label="Arguments" />;
  const entries = Object.entries(params);
  if (entries.length === 0) return <p class="dim">No arguments</p>;
  return (
    <dl class="arguments">
      {entries.map(([name, value]) => (
        <div key={name}>
          <dt>
            <Text value={name} oneLine />
            {typeof value !== "string" && <span class="dim"> {typeName(value)}</span>}
          </dt>
          <dd>
            <LongText value={formatValue(value)} label={`Argument ${showInvisible(name)}`} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function formatValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "");
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "list" : typeof value;
}
