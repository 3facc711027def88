import "./memory.css";
import type { VNode } from "preact";
import type { PageProps } from "../../shell/page-props.ts";
import { EntryPage } from "./entry.tsx";
import { EntryList } from "./entry-list.tsx";
import { GraphPage } from "./graph.tsx";
import { PromptPage } from "./prompt.tsx";

/** What agents remember: entries, one entry, what stands in every prompt, and how it hangs together. */
export default function Memory({ rest: [view = "", id = ""], query }: PageProps): VNode {
  if (view === "entry" && id !== "") return <EntryPage key={id} id={id} agent={query.get("agent") ?? ""} />;
  if (view === "prompt") return <PromptPage query={query} />;
  if (view === "graph") return <GraphPage id={id} query={query} />;
  return <EntryList query={query} />;
}
