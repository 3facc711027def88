import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The field for a message. Enter sends it; with Shift it begins a line. */
export function MessageField({
  text,
  change,
  send,
  attach,
  label,
  rows,
  autoFocus = false,
}: {
  readonly text: string;
  readonly change: (text: string) => void;
  readonly send: () => void;
  /** Takes files that are pasted. */
  readonly attach: (files: Iterable<File>) => void;
  readonly label: string;
  readonly rows: number;
  readonly autoFocus?: boolean;
}): VNode {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
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
      onPaste={(event) => {
        const { clipboardData } = event;
        // What other programs copy as text often comes with a picture of that text.
        if (clipboardData === null || clipboardData.files.length === 0) return;
        if (clipboardData.getData("text/plain") !== "") return;
        event.preventDefault();
        attach(clipboardData.files);
      }}
      onKeyDown={(event) => {
        if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
        event.preventDefault();
        send();
      }}
    />
  );
}
