import { type HaftConfig, listServers } from "../../app/index.ts";
import { shellWord } from "../../base/index.ts";
import type { HookEntry } from "../../sources/index.ts";
import { describeRule } from "../text/rule.ts";

/** What a project's configuration changes once it is trusted, a line each; rules that only forbid are left out. */
export function describeOpenings(config: HaftConfig): string[] {
  const { tools = {}, permissions = [], mode, ledger, sandbox, approvals, memory, serve, store } = config;
  const {
    allowedPaths,
    allowedHosts,
    readableEnv,
    webSearch,
    webRead,
    mcpServers: _servers,
    ...bounds
  } = tools;
  const lines = permissions.filter(({ decision }) => decision === "allow").map(describeRule);
  if (mode !== undefined)
    lines.push(
      `set the mode: ${mode}${mode === "auto" ? ", commands without known risk run in the sandbox unasked" : ""}`,
    );
  if (ledger === "best-effort") lines.push("run calls that the ledger cannot record");
  if (sandbox !== undefined) lines.push(`keep commands in by: ${entries(sandbox)}`);
  if (approvals !== undefined) lines.push(`wait for answers: ${entries(approvals)}`);
  for (const server of listServers(config)) lines.push(...serverLines(server));
  for (const hook of config.hooks ?? []) lines.push(hookLine(hook));
  if (allowedPaths !== undefined) lines.push(`read and change files in: ${list(allowedPaths)}`);
  if (allowedHosts !== undefined) lines.push(`reach without asking: ${list(allowedHosts)}`);
  if (readableEnv !== undefined) lines.push(`read environment variables: ${list(readableEnv)}`);
  if (webSearch !== undefined) lines.push(`search the web by: ${entries(webSearch)}`);
  if (webRead !== undefined) lines.push(`read pages by: ${entries(webRead)}`);
  for (const [key, value] of Object.entries(bounds)) lines.push(`set ${key}: ${text(value)}`);
  const { port, ...exposed } = serve ?? {};
  if (port !== undefined) lines.push(`serve on port: ${port}`);
  if (Object.keys(exposed).length > 0) lines.push(`show MCP clients: ${entries(exposed)}`);
  if (memory !== undefined) {
    const { model, ...kept } = memory;
    if (model !== undefined) lines.push(`send what is in memory to a model: ${entries(model)}`);
    if (Object.keys(kept).length > 0) lines.push(`keep memory by: ${entries(kept)}`);
  }
  if (store !== undefined) lines.push(`write calls down in: ${entries(store)}`);
  return lines;
}

/** The command that is started, word for word, or the address; then whatever else is said of it. */
function serverLines(server: object): string[] {
  const { name, command, args, url, ...rest } = server as Readonly<Record<string, unknown>>;
  const words = Array.isArray(args) ? args : [];
  const what =
    command === undefined
      ? `connect to the MCP server ${text(name)}: ${text(url)}`
      : `start the MCP server ${text(name)}: ${[command, ...words].map((word) => shellWord(text(word))).join(" ")}`;
  return Object.keys(rest).length === 0 ? [what] : [what, `… with ${entries(rest)}`];
}

function hookLine({ id, type, tools = [], command }: HookEntry): string {
  const when = type === "pre_tool" ? "before" : "after";
  return `run ${when} calls of ${tools.length === 0 ? "every tool" : list(tools)}, as the hook ${id}: ${command}`;
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
