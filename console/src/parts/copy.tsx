import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { say } from "../shell/live-region.tsx";
import { Text } from "../text/text.tsx";

/** A button that copies text to the clipboard. */
export function CopyButton({
  text,
  label,
  show = "Copy",
}: {
  readonly text: string;
  /** Name of the text, for screen readers. */
  readonly label: string;
  readonly show?: string;
}): VNode {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => {
        setCopied(true);
        say(`Copied: ${label}`);
        setTimeout(() => setCopied(false), 1500);
      },
      () => say("The browser does not let the page copy: select the text instead."),
    );
  return (
    <button type="button" class="quiet copy" aria-label={`${show} ${label}`} onClick={() => void copy()}>
      {copied ? "Copied" : show}
    </button>
  );
}

/** The command that shows the same in a terminal. */
export function InTerminal({ command }: { readonly command: string }): VNode {
  return (
    <p class="in-terminal">
      <span class="dim">The same in the terminal</span>
      <code>
        <Text value={command} />
      </code>
      <CopyButton text={command} label="the command" />
    </p>
  );
}
