import { findSecrets, withoutUserInfo } from "../../app/servers/index.ts";
import { shellWord, showInvisible } from "../../base/index.ts";
import { programPlaces } from "../../host/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import type { Terminal } from "../terminal.ts";
import { renderTable } from "./table.ts";

/** One word in which nothing hides: blanks and quotes are quoted, and what is not to be seen is written out. */
export function shownWord(text: string): string {
  const shown = showInvisible(text).replaceAll("\n", "\\u{a}").replaceAll("\t", "\\u{9}");
  return shown === "" ? "''" : shellWord(shown);
}

/** The whole command, or the whole address. */
export function shownTarget({ command, args = [], url }: McpServerConfig): string {
  return url === undefined
    ? [command ?? "", ...args].map(shownWord).join(" ")
    : shownWord(withoutUserInfo(url));
}

/** What would be agreed to: what is started or reached, and what it may do, a line each. */
export function renderServer(server: McpServerConfig, terminal: Terminal): string {
  const rows = listFacts(server).map(([label, text]) => [label, text]);
  const table = renderTable(
    [
      { title: "", paint: (text) => terminal.paint("dim", text) },
      { title: "", overflow: "wrap" },
    ],
    rows,
    { width: terminal.width, indent: "  ", titles: false },
  );
  return `${terminal.paint("bold", shownWord(server.name))}\n${table}`;
}

function listFacts(server: McpServerConfig): [label: string, text: string][] {
  const { env, headers, allow, deny, timeout, trust, pin, repeat, enabled, rename } = server;
  const hidden = new Set(findSecrets(server).map(({ field, key }) => `${field} ${key}`));
  const values = (field: "env" | "headers", given: Readonly<Record<string, string>>) =>
    Object.entries(given)
      .map(([key, value]) => `${shownWord(key)}=${hidden.has(`${field} ${key}`) ? "…" : shownWord(value)}`)
      .join("\n");
  return [
    [server.url === undefined ? "starts" : "reaches", shownTarget(server)],
    ...(server.url === undefined ? formatBounds(server) : []),
    ...(env === undefined ? [] : [["with", values("env", env)] as [string, string]]),
    ...(headers === undefined ? [] : [["sends", values("headers", headers)] as [string, string]]),
    ...(allow === undefined ? [] : [["offers only", words(allow)] as [string, string]]),
    ...(deny === undefined ? [] : [["never offers", words(deny)] as [string, string]]),
    ...(rename === undefined ? [] : [["renames", values("env", rename)] as [string, string]]),
    ...(timeout === undefined ? [] : [["each call", `${timeout} ms`] as [string, string]]),
    ...describeTrust(trust).map((text): [string, string] => ["believed", text]),
    ...(pin === false ? [["not pinned", "changed definitions are taken unseen"] as [string, string]] : []),
    ...(repeat === undefined ? [] : [["repeats", words(repeat)] as [string, string]]),
    ...(enabled === false ? [["disabled", "not connected to"] as [string, string]] : []),
  ];
}

function describeTrust({ annotations, readOnly }: NonNullable<McpServerConfig["trust"]> = {}): string[] {
  if (annotations === true) return ["what it says of its tools: those it calls read-only may run unasked"];
  if (readOnly === true) return ["that the tools it calls read-only only read: they may run unasked"];
  const names = typeof readOnly === "object" ? Object.keys(readOnly) : [];
  return names.length === 0 ? [] : [`that these only read, as you saw them: ${words(names)}`];
}

function formatBounds({
  command = "",
  args = [],
  cwd,
  hosts = [],
  paths = [],
  ...more
}: McpServerConfig): [string, string][] {
  const { unconfined } = more;
  const reads = [...programPlaces([command, ...args]), ...(more.reads ?? [])];
  const place: [string, string] = ["in", cwd === undefined ? "the project's folder" : shownWord(cwd)];
  if (unconfined === true) return [place, ["confined", "NO: outside the sandbox, with all your rights"]];
  return [
    place,
    ["may reach", hosts.length === 0 ? "no network" : words(hosts)],
    ...(reads.length === 0 ? [] : [["may read", words(reads)] as [string, string]]),
    ["may change", paths.length === 0 ? "no file" : words(paths)],
  ];
}

function words(texts: readonly string[]): string {
  return texts.length === 0 ? "none" : texts.map(shownWord).join(" ");
}
