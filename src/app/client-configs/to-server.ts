import { isRecord, withoutUndefined } from "../../base/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { launcherNeeds } from "../servers/launchers.ts";
import { toOurVariables, type VariableNotes } from "./variables.ts";

export interface ConvertedServer {
  readonly server: McpServerConfig;
  /** What its owner has to do, or should know: a sentence each. */
  readonly notes: readonly string[];
}

type Raw = Readonly<Record<string, unknown>>;

/**
 * An entry of another client, in our form. What a client lets run unasked (`autoApprove`, `trust`) is not taken over:
 * here rules and answers decide it. One that fetches what it starts gets what it needs for that.
 *
 * @param home the user's folder, which some variables stand for
 * @returns the fault of one that can't be converted
 */
export async function toServer(name: string, raw: unknown, home: string): Promise<ConvertedServer | string> {
  if (!isRecord(raw)) return "it is no object";
  const entry = withoutUndefined({
    ...readTarget(raw),
    cwd: readText(raw["cwd"]),
    timeout: readTimeout(raw),
    allow: readList(raw["enabled_tools"] ?? raw["includeTools"]),
    deny: readList(raw["disabled_tools"] ?? raw["excludeTools"] ?? raw["disabledTools"]),
    ...(raw["disabled"] === true || raw["enabled"] === false ? { enabled: false } : {}),
  });
  const notes: VariableNotes = { secrets: new Set(), unknown: new Set() };
  const ours = Object.fromEntries(
    Object.entries(entry).map(([key, value]) => [key, toOurVariables(value, home, notes)]),
  );
  if (typeof ours["cwd"] === "string" && /^\.?$/.test(ours["cwd"])) delete ours["cwd"];
  const { readServers } = await import("../../mcp/index.ts");
  const { servers, problems } = readServers([{ ...ours, name: toName(name) }]);
  const [server] = servers;
  if (server === undefined) return problems[0]?.message ?? "it can't be read";
  if (notes.unknown.size > 0)
    return `it has variables that mean nothing here: ${[...notes.unknown].join(", ")}`;
  return { server: { ...server, ...launcherNeeds(server) }, notes: listNotes(raw, notes) };
}

/** Our names have no blanks. */
function toName(name: string): string {
  return name
    .trim()
    .replace(/[\p{C}\p{Z}]+/gu, "-")
    .slice(0, 64);
}

function readTarget(raw: Raw): Raw {
  const url = readText(raw["httpUrl"] ?? raw["url"] ?? raw["serverUrl"]);
  if (url !== undefined)
    return { url, command: raw["command"], headers: readHeaders(raw), type: readType(raw) };
  const inner = isRecord(raw["command"]) ? raw["command"] : undefined;
  const line = Array.isArray(raw["command"]) ? raw["command"] : undefined;
  const [program, ...rest] = line ?? [inner?.["path"] ?? raw["command"]];
  return {
    command: program,
    args: line === undefined ? (inner?.["args"] ?? raw["args"]) : rest,
    env: readEnvironment({ ...raw, ...inner }),
  };
}

/** Most have no more than two: what they call SSE or HTTP is tried in the order that works for both. */
function readType({ type, httpUrl }: Raw): string | undefined {
  if (httpUrl !== undefined) return "streamable-http";
  return type === "sse" || type === "http" ? type : undefined;
}

function readEnvironment(raw: Raw): Raw | undefined {
  const given = isRecord(raw["env"]) ? raw["env"] : isRecord(raw["environment"]) ? raw["environment"] : {};
  const named = (readList(raw["env_vars"]) ?? []).map((name) => [name, `\${${name}:-}`]);
  const values = Object.entries(given).flatMap(([key, value]) =>
    typeof value === "string" || typeof value === "number" || typeof value === "boolean"
      ? [[key, String(value)]]
      : [],
  );
  const all = [...named, ...values];
  return all.length === 0 ? undefined : (Object.fromEntries(all) as Raw);
}

function readHeaders(raw: Raw): Raw | undefined {
  const given = raw["headers"] ?? raw["http_headers"];
  const fromVariables = isRecord(raw["env_http_headers"]) ? raw["env_http_headers"] : {};
  const token = readText(raw["bearer_token_env_var"]);
  const headers: Raw = {
    ...(isRecord(given) && given),
    ...Object.fromEntries(Object.entries(fromVariables).map(([key, name]) => [key, `\${${String(name)}:-}`])),
    ...(token !== undefined && { Authorization: `Bearer \${${token}:-}` }),
  };
  return Object.keys(headers).length === 0 ? undefined : headers;
}

/** Gemini and opencode count milliseconds, the others seconds: nobody waits for ten minutes, nor for a tenth of a second. */
function readTimeout(raw: Raw): number | undefined {
  const value = raw["tool_timeout_sec"] ?? raw["timeout"];
  if (typeof value !== "number" || !(value > 0)) return undefined;
  const ms = raw["tool_timeout_sec"] !== undefined || value < 1000 ? value * 1000 : value;
  return Math.min(Math.round(ms), 600_000);
}

function listNotes(raw: Raw, { secrets }: VariableNotes): string[] {
  return [
    ...Array.from(secrets, (name) => `it asks for ${name}; store it with \`haft secret set ${name}\``),
    ...(raw["envFile"] === undefined
      ? []
      : ["its file of variables is not read here; give what it needs as env"]),
    ...(raw["oauth"] === undefined ? [] : ["it is signed in to with `haft mcp login`"]),
  ];
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function readList(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.filter((item): item is string => typeof item === "string");
}
