import "../../parts/tables.css";
import "./tools.css";
import type { VNode } from "preact";
import type { PageProps } from "../../shell/page-props.ts";
import { ToolPage } from "./tool.tsx";
import { ToolsList } from "./tools-list.tsx";
import { TryPage } from "./try-page.tsx";

/** All tools, one of them, or a form to try that one. */
export default function Tools({ rest: [name, part], query }: PageProps): VNode {
  if (name === undefined || name === "") return <ToolsList query={query} />;
  if (part === "try") return <TryPage key={name} name={name} />;
  return <ToolPage key={name} name={name} query={query} />;
}
