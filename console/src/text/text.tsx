import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { cutHead, splitInvisible } from "../../../src/base/index.ts";
import { splitSgr } from "./sgr.ts";
import { writeHidden } from "./write-hidden.ts";

/** Shows foreign text: never as HTML, with invisible characters written out, and isolated from the direction of other text. */
export function Text({
  value,
  oneLine = false,
}: {
  readonly value: string;
  /** Whether line breaks are written out, too. @default false */
  readonly oneLine?: boolean;
}): VNode {
  if (!oneLine) return <bdi>{showParts(value)}</bdi>;
  const lines = value.split("\n");
  return (
    <bdi>
      {lines.flatMap((line, at) => [
        ...(at === 0 ? [] : [<span class="hidden">↵</span>]),
        ...showParts(line),
      ])}
    </bdi>
  );
}

function showParts(value: string): (VNode | string)[] {
  return splitInvisible(value).map(({ text, hidden }) =>
    hidden ? <span class="hidden">{writeHidden(text)}</span> : text,
  );
}

/** Characters of a long text that are shown at first. */
const firstChars = 20_000;

/**
 * Shows foreign text with its line breaks. `colours` shows the colours of a terminal instead of their control characters,
 * as for results; not for text whose exact characters matter.
 */
export function LongText({
  value,
  label,
  colours = false,
}: {
  readonly value: string;
  readonly label: string;
  readonly colours?: boolean;
}): VNode {
  const [shown, setShown] = useState(firstChars);
  const text = cutHead(value, shown);
  const more = value.length - text.length;
  return (
    <div class="long-text">
      <pre tabIndex={0} role="region" aria-label={label}>
        <bdi>
          {colours
            ? splitSgr(text).map(({ text: part, classes }) =>
                classes === "" ? showParts(part) : <span class={classes}>{showParts(part)}</span>,
              )
            : showParts(text)}
        </bdi>
      </pre>
      {more > 0 && (
        <button type="button" class="quiet" onClick={() => setShown(shown + 10 * firstChars)}>
          Show more: {more.toLocaleString("en")} characters are not shown
        </button>
      )}
    </div>
  );
}
