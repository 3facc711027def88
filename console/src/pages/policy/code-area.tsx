import type { VNode } from "preact";
import { useRef } from "preact/hooks";

/** A field for text of many lines with the numbers of its lines, one of which may be marked. */
export function CodeArea({
  text,
  change,
  label,
  faultLine,
  describedBy,
  readOnly = false,
}: {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly label: string;
  /** The line, from 1, that something is wrong with. */
  readonly faultLine?: number;
  /** The id of what says so. */
  readonly describedBy: string;
  readonly readOnly?: boolean;
}): VNode {
  const gutter = useRef<HTMLDivElement>(null);
  const count = text.split("\n").length;
  return (
    <div class="code-area">
      <div class="gutter" aria-hidden="true" ref={gutter}>
        {Array.from({ length: count }, (_, at) => (
          <span key={at} data-fault={at + 1 === faultLine}>
            {at + 1 === faultLine && "✕ "}
            {at + 1}
          </span>
        ))}
      </div>
      <textarea
        class="code"
        aria-label={label}
        aria-invalid={faultLine !== undefined}
        aria-describedby={describedBy}
        value={text}
        rows={16}
        wrap="off"
        spellcheck={false}
        autoComplete="off"
        readOnly={readOnly}
        onInput={(event) => change(event.currentTarget.value)}
        onScroll={(event) => {
          if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
        }}
      />
    </div>
  );
}
