import "../tools/tools.css";
import "../questions/questions.css";
import "./servers.css";
import type { VNode } from "preact";
import type { PageProps } from "../../shell/page-props.ts";
import { AddServers } from "./add-servers.tsx";
import { ServerPage } from "./server.tsx";
import { ServersList } from "./servers-list.tsx";

/** All MCP servers, one of them, or a text to add some from. */
export default function Servers({ rest: [name], query }: PageProps): VNode {
  if (name !== undefined && name !== "") return <ServerPage key={name} name={name} />;
  return query.has("add") ? <AddServers /> : <ServersList />;
}
