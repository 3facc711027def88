import type { VNode } from "preact";
import { showInvisible } from "../../../src/base/index.ts";
import { Text } from "../text/text.tsx";

/** Signs for the states of calls and questions. Colour alone would not tell them apart for everybody. */
const signs: ReadonlyMap<string, string> = new Map([
  ["started", "▸"],
  ["completed", "✓"],
  ["failed", "✕"],
  ["denied", "⊘"],
  ["cancelled", "◼"],
  ["unknown", "?"],
  ["pending", "●"],
  ["approved", "✓"],
  ["used", "✓"],
  ["expired", "◌"],
]);

const words: ReadonlyMap<string, string> = new Map([["started", "running"]]);

/** Shows the state of a call or a question as a sign and a word. */
export function StateMark({
  state,
  code,
}: {
  readonly state: string;
  readonly code?: string | undefined;
}): VNode {
  return (
    <span
      class="state"
      data-state={signs.has(state) ? state : "unknown"}
      title={code === undefined ? undefined : showInvisible(code)}
    >
      <span class="sign" aria-hidden="true">
        {signs.get(state) ?? "?"}
      </span>
      <Text value={nameState(state)} oneLine />
    </span>
  );
}

/** The word that is shown for a state. */
export function nameState(state: string): string {
  return words.get(state) ?? state;
}
