import type { ComponentChildren, VNode } from "preact";

/** A name and a value. An empty value is not shown. */
export type FactEntry = readonly [name: string, value: ComponentChildren];

/** Shows names and values as a list. */
export function Facts({ facts }: { readonly facts: readonly FactEntry[] }): VNode {
  return (
    <dl class="facts">
      {facts
        .filter(([, value]) => value !== undefined && value !== "" && value !== null && value !== false)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
