import type { VNode } from "preact";
import { LongText, Text } from "../../text/text.tsx";

/** Longer texts begin folded. */
const longChars = 6000;

/** Somebody's words, as they were written. */
export function Words({ text, label }: { readonly text: string; readonly label: string }): VNode {
  if (text.length > longChars) return <LongText value={text} label={label} />;
  return (
    <p class="words">
      <Text value={text} />
    </p>
  );
}
