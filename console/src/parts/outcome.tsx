import type { VNode } from "preact";
import { Text } from "../text/text.tsx";
import { Fault } from "./states.tsx";
import type { Act } from "./use-act.ts";

/** What came of something that a person did: done, or a fault with its code. */
export function Outcome({ act }: { readonly act: Act }): VNode | null {
  if (act.fault !== undefined) return <Fault fault={act.fault} />;
  if (act.done === undefined) return null;
  return (
    <p class="done">
      <Text value={act.done} />
    </p>
  );
}
