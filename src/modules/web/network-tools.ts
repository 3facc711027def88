import type { Tool } from "../../kernel/index.ts";
import { httpGetTool, httpPostTool, httpRequestTool } from "./http-tools.ts";
import type { NetworkServices } from "./network-options.ts";
import { webReadTool } from "./web-read.ts";
import { webSearchTool } from "./web-search.ts";

/** Everything that reaches the network: `http_get`, `http_post`, `http_request`, `web_read`, and `web_search` where it can. */
export function networkTools(services: NetworkServices): readonly Tool[] {
  const tools = [httpGetTool, httpPostTool, httpRequestTool, webReadTool, webSearchTool].map((create) =>
    create(services),
  );
  return tools.filter((tool) => tool !== null);
}
