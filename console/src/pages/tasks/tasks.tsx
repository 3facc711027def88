import "./tasks.css";
import type { VNode } from "preact";
import type { PageProps } from "../../shell/page-props.ts";
import { Board } from "./board.tsx";
import { GraphPage } from "./graph.tsx";
import { TaskPage } from "./task.tsx";

/** Work that outlives a conversation: a board, one task, and what depends on what. */
export default function Tasks({ rest: [id = ""], query }: PageProps): VNode {
  if (id === "graph") return <GraphPage query={query} />;
  return id === "" ? <Board query={query} /> : <TaskPage key={id} id={id} />;
}
