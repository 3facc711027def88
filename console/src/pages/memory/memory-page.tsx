import type { ComponentChildren, VNode } from "preact";
import { showInvisible } from "../../../../src/base/index.ts";
import { useAnswer } from "../../net/use-answer.ts";
import { toHref } from "../../shell/address.ts";
import { Page } from "../../shell/page.tsx";

const views = [
  { path: "memory", name: "Entries" },
  { path: "memory/prompt", name: "In every prompt" },
  { path: "memory/graph", name: "Graph" },
] as const;

export type MemoryView = (typeof views)[number]["path"];

/** What all pages of memory have: their views, and whose memory it is. */
export function MemoryPage({
  view,
  agent,
  changeAgent,
  command,
  head,
  children,
}: {
  readonly view: MemoryView;
  /** Empty: that of calls that name no agent. */
  readonly agent: string;
  readonly changeAgent: (agent: string) => void;
  readonly command: string;
  readonly head?: ComponentChildren;
  readonly children: ComponentChildren;
}): VNode {
  return (
    <Page
      title="Memory"
      command={command}
      class="memory-page"
      head={
        <>
          <nav class="tabs" aria-label="Views of memory">
            {views.map(({ path, name }) => (
              <a key={path} href={toHref(path, { agent })} aria-current={path === view ? "page" : undefined}>
                {name}
              </a>
            ))}
          </nav>
          <AgentChoice agent={agent} change={changeAgent} />
        </>
      }
    >
      {head}
      {children}
    </Page>
  );
}

/** The choice of the agent whose memory is shown; nothing if there are no agents. */
function AgentChoice({
  agent,
  change,
}: {
  readonly agent: string;
  readonly change: (agent: string) => void;
}): VNode | null {
  const { answer } = useAnswer("GET /memory/overview", { query: {} });
  const agents = [...new Set([...(answer?.agents ?? []), ...(agent === "" ? [] : [agent])])];
  if (agents.length === 0) return null;
  return (
    <select aria-label="Whose memory" value={agent} onChange={(event) => change(event.currentTarget.value)}>
      <option value="">Calls without an agent</option>
      {agents.map((id) => (
        <option key={id} value={id}>
          {showInvisible(id)}
        </option>
      ))}
    </select>
  );
}
