import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { InTerminal } from "../parts/copy.tsx";
import { Text } from "../text/text.tsx";
import { setTitle } from "./pending.ts";

/** The title of the page, the page, and how to see the same in a terminal. */
export function Page({
  title,
  head,
  command,
  class: className = "",
  children,
}: {
  readonly title: string;
  /** Beside the title. */
  readonly head?: ComponentChildren;
  readonly command: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => setTitle(title), [title]);
  // Whoever came by a link or a key is told where they are; who has something in hand keeps it.
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
