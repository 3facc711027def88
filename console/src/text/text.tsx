import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { cutHead, splitInvisible } from "../../../src/base/index.ts";
import { splitSgr } from "./sgr.ts";
import { writeHidden } from "./write-hidden.ts";

/** Text of anybody's: it can be nothing but text, what would not be seen is written out, and it turns no other text around. */
export function Text({
  value,
  oneLine = false,
}: {
  readonly value: string;
  /** Ends of lines are written out, too. @default false */
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

/** So much of a long text is shown at first. */
const firstChars = 20_000;

/**
 * Text of several lines as it is. `colours`: a terminal's colours are shown as such, as for a result; not where the exact
 * characters count.
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
