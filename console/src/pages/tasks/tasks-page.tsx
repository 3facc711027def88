import type { ComponentChildren, VNode } from "preact";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";

/** What the board and the graph have in common: the way from one to the other. */
export function TasksPage({
  view,
  project,
  command,
  head,
  children,
}: {
  readonly view: "board" | "archive" | "graph";
  readonly project: string;
  readonly command: string;
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  const link = (name: typeof view, title: string, href: string) => (
    <a href={href} aria-current={view === name ? "page" : undefined}>
      {title}
    </a>
  );
  return (
    <Page
      title="Tasks"
      command={command}
      class="tasks-page"
      head={
        <>
          <nav class="tabs" aria-label="Views of tasks">
            {link("board", "Board", toHref("tasks", { project }))}
            {link("graph", "Graph", toHref("tasks/graph", { project }))}
            {link("archive", "Archive", toHref("tasks", { project, column: "archive" }))}
          </nav>
          {head}
        </>
      }
    >
      {children}
    </Page>
  );
}
