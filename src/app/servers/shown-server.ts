import type { McpServerConfig } from "../../mcp/index.ts";
import { findSecrets } from "./server-secrets.ts";

/** Replaces the user name and password of a URL by `…`. */
export function withoutUserInfo(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.username === "" && parsed.password === "")) return url;
  parsed.username = "…";
  parsed.password = "";
  return parsed.href;
}

/** The settings of a server for people and scripts, with `…` in place of values that look like secrets. */
export function shownServer(server: McpServerConfig): McpServerConfig {
  const masked = { env: { ...server.env }, headers: { ...server.headers } };
  for (const { field, key } of findSecrets(server)) masked[field][key] = "…";
  return {
    ...server,
    ...(server.url !== undefined && { url: withoutUserInfo(server.url) }),
    ...(server.env !== undefined && { env: masked.env }),
    ...(server.headers !== undefined && { headers: masked.headers }),
  };
}
