import type { VNode } from "preact";
import { showInvisible } from "../../../src/base/index.ts";
import { Text } from "../text/text.tsx";

/** The states of calls and of questions, each with a sign, since colour alone means nothing. */
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

/** What became of a call or a question, in a word and a sign. */
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

/** The word for a state, as it is shown. */
export function nameState(state: string): string {
  return words.get(state) ?? state;
}
