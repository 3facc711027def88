import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** The field for a message. Enter sends it; with Shift it begins a line. */
export function MessageField({
  text,
  change,
  send,
  label,
  rows,
  autoFocus = false,
}: {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly send: () => void;
  readonly label: string;
  readonly rows: number;
  readonly autoFocus?: boolean;
}): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (autoFocus) field.current?.focus();
  }, []);
  return (
    <textarea
      ref={field}
      class="message"
      aria-label={label}
      placeholder="Enter sends, Shift+Enter begins a line"
      rows={rows}
      value={text}
      onInput={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        send();
      }}
    />
  );
}
