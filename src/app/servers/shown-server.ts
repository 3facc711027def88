import type { McpServerConfig } from "../../mcp/index.ts";
import { findSecrets } from "./server-secrets.ts";

/** A name and a password in an address are nobody's business. */
export function withoutUserInfo(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || (parsed.username === "" && parsed.password === "")) return url;
  parsed.username = "…";
  parsed.password = "";
  return parsed.href;
}

/** The server as JSON for scripts: with `…` for what looks like a secret. */
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
