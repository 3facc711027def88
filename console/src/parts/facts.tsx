import type { ComponentChildren, VNode } from "preact";

/** A fact and its name; one that is not known is left out. */
export type FactEntry = readonly [name: string, value: ComponentChildren];

/** Names and values below each other. */
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
