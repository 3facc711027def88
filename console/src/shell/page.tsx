import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { InTerminal } from "../parts/copy.tsx";
import { Text } from "../text/text.tsx";
import { setTitle } from "./pending.ts";

/** Frame of a page: its title above it, and below it the command that shows the same in a terminal. */
export function Page({
  title,
  head,
  command,
  class: className = "",
  children,
}: {
  readonly title: string;
  /** Content beside the title. */
  readonly head?: ComponentChildren;
  readonly command: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => setTitle(title), [title]);
  // A new page focuses its title, so that screen readers read it, unless something in the page has the focus.
  useEffect(() => {
    const held = document.activeElement;
    if (held === null || held === document.body || held.closest("main") === null) heading.current?.focus();
  }, []);
  return (
    <div class={`page ${className}`}>
      <div class="page-head">
        <h1 ref={heading} tabIndex={-1}>
          <Text value={title} oneLine />
        </h1>
        {head}
      </div>
      {children}
      <InTerminal command={command} />
    </div>
  );
}
