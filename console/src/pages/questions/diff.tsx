import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Text } from "../../text/text.tsx";

const firstLines = 400;

const kinds: ReadonlyMap<string, string> = new Map([
  ["+", "added"],
  ["-", "removed"],
  ["@", "place"],
]);

/** A unified diff, line by line. The signs stay: colour alone means nothing. */
export function Diff({ diff }: { readonly diff: string }): VNode {
  const [shown, setShown] = useState(firstLines);
  const lines = diff.replace(/\n$/, "").split("\n");
  return (
    <div class="diff">
      <pre tabIndex={0} role="region" aria-label="How files would change">
        {lines.slice(0, shown).map((line, at) => (
          <span key={at} class="diff-line" data-kind={getKind(line)}>
            <Text value={line === "" ? " " : line} />
          </span>
        ))}
      </pre>
      {lines.length > shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown * 10)}>
          Show more: {lines.length - shown} lines are not shown
        </button>
      )}
    </div>
  );
}

function getKind(line: string): string | undefined {
  if (/^(?:---|\+\+\+) /.test(line)) return "file";
  return kinds.get(line.slice(0, 1));
}
