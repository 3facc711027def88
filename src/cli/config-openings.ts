import type { HaftConfig } from "../app/index.ts";
import { describeRule } from "./rule-text.ts";

/** What a project's configuration changes once it is trusted, a line each; rules that only forbid are left out. */
export function describeOpenings(config: HaftConfig): string[] {
  const { tools = {}, permissions = [], mode, sandbox, approvals, serve, store } = config;
  const { allowedPaths, allowedHosts, readableEnv, webSearch, webRead, ...bounds } = tools;
  const lines = permissions.filter(({ decision }) => decision === "allow").map(describeRule);
  if (mode !== undefined)
    lines.push(
      `set the mode: ${mode}${mode === "auto" ? ", commands without known risk run in the sandbox unasked" : ""}`,
    );
  if (sandbox !== undefined) lines.push(`keep commands in by: ${entries(sandbox)}`);
  if (approvals !== undefined) lines.push(`wait for answers: ${entries(approvals)}`);
  if (allowedPaths !== undefined) lines.push(`read and change files in: ${list(allowedPaths)}`);
  if (allowedHosts !== undefined) lines.push(`reach without asking: ${list(allowedHosts)}`);
  if (readableEnv !== undefined) lines.push(`read environment variables: ${list(readableEnv)}`);
  if (webSearch !== undefined) lines.push(`search the web by: ${entries(webSearch)}`);
  if (webRead !== undefined) lines.push(`read pages by: ${entries(webRead)}`);
  for (const [key, value] of Object.entries(bounds)) lines.push(`set ${key}: ${text(value)}`);
  if (serve?.port !== undefined) lines.push(`serve on port: ${serve.port}`);
  if (store !== undefined) lines.push(`write calls down in: ${entries(store)}`);
  return lines;
}

function list(items: readonly string[]): string {
  return items.length === 0 ? "none" : items.join(", ");
}

function entries(settings: object): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key} ${text(value)}`)
    .join(", ");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
