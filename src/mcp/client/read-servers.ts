import { isRecord } from "../../base/index.ts";
import {
  addressSchemes,
  findScheme,
  type McpServerConfig,
  type McpServerType,
  mcpServerTypes,
} from "./config.ts";
import { authForm, isServerAuth } from "./oauth/auth-config.ts";

/** An entry that can't be used, and why. */
export interface ServerProblem {
  /** The server's name, or its place in a list. */
  readonly where: string;
  readonly message: string;
}

/** The servers that could be read, and what is wrong with the others. */
export interface ReadServers {
  readonly servers: readonly McpServerConfig[];
  readonly problems: readonly ServerProblem[];
}

/**
 * Reads servers from either form: an object by name, as other clients have it below `mcpServers`, or a list of
 * entries with `name` and `transport`. An entry that can't be used costs only itself. Fields of other clients that mean
 * nothing here are passed over.
 *
 * @example
 * ```ts
 * const { servers, problems } = readServers({ docs: { command: "npx", args: ["docs-server"] }, broken: {} });
 * servers.map(({ name }) => name); // → ["docs"]
 * problems.length; // → 1
 * ```
 */
export function readServers(raw: unknown): ReadServers {
  const servers: McpServerConfig[] = [];
  const problems: ServerProblem[] = [];
  const taken = new Set<string>();
  for (const [where, entry] of listEntries(raw, problems)) {
    const read = readServer(where, entry);
    if (typeof read === "string") problems.push({ where, message: read });
    else if (taken.has(read.name)) problems.push({ where, message: `the name "${read.name}" is taken` });
    else {
      taken.add(read.name);
      servers.push(read);
    }
  }
  return { servers, problems };
}

function listEntries(raw: unknown, problems: ServerProblem[]): [where: string, entry: unknown][] {
  if (raw === undefined || raw === null) return [];
  if (Array.isArray(raw)) {
    return raw.map((entry: unknown, index) => {
      const name = isRecord(entry) ? entry["name"] : undefined;
      return [typeof name === "string" ? name : `server ${index + 1}`, entry];
    });
  }
  if (isRecord(raw)) {
    return Object.entries(raw).map(([name, entry]) => [name, isRecord(entry) ? { ...entry, name } : entry]);
  }
  problems.push({ where: "mcpServers", message: "it must be an object by name, or a list" });
  return [];
}

type Reader = (value: unknown) => boolean;

const isText: Reader = (value) => typeof value === "string";
const isFlag: Reader = (value) => typeof value === "boolean";
const isTexts: Reader = (value) => Array.isArray(value) && value.every(isText);
const isTextMap: Reader = (value) => isRecord(value) && Object.values(value).every(isText);
const isWhole =
  (least: number, most: number): Reader =>
  (value) =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most;

const fields: Readonly<Record<string, { readonly fits: Reader; readonly form: string }>> = {
  command: { fits: (value) => isText(value) && value !== "", form: "a text" },
  args: { fits: isTexts, form: "a list of texts" },
  env: { fits: isTextMap, form: "texts by name" },
  cwd: { fits: isText, form: "a text" },
  url: { fits: isText, form: "a text" },
  headers: { fits: isTextMap, form: "texts by name" },
  auth: { fits: isServerAuth, form: authForm },
  enabled: { fits: isFlag, form: "true or false" },
  allow: { fits: isTexts, form: "a list of globs" },
  deny: { fits: isTexts, form: "a list of globs" },
  rename: { fits: isTextMap, form: "texts by name" },
  timeout: { fits: isWhole(1, 600_000), form: "milliseconds from 1 to 600000" },
  connectTimeout: { fits: isWhole(1, 600_000), form: "milliseconds from 1 to 600000" },
  concurrency: { fits: isWhole(1, 256), form: "a whole number from 1 to 256" },
  hosts: { fits: isTexts, form: "a list of hosts" },
  reads: { fits: isTexts, form: "a list of paths" },
  paths: { fits: isTexts, form: "a list of paths" },
  unconfined: { fits: isFlag, form: "true or false" },
  trust: {
    fits: (value) =>
      isRecord(value) &&
      Object.entries(value).every(
        ([key, one]) =>
          (key === "annotations" && isFlag(one)) || (key === "readOnly" && (isFlag(one) || isTextMap(one))),
      ),
    form: "{ readOnly: true }, or { annotations: true }",
  },
  pin: { fits: isFlag, form: "true or false" },
  repeat: { fits: isTexts, form: "a list of globs" },
  roots: { fits: isFlag, form: "true or false" },
};

const namePattern = /^[^\p{C}\p{Z}]{1,64}$/u;

/** The server, or what is wrong with it. */
function readServer(name: string, entry: unknown): McpServerConfig | string {
  if (!isRecord(entry)) return "it must be an object";
  if (typeof entry["name"] !== "string" || !namePattern.test(entry["name"]))
    return "it needs a name of 1 to 64 characters without spaces";
  const server: Record<string, unknown> = { name };
  for (const [field, { fits, form }] of Object.entries(fields)) {
    const value = entry[field];
    if (value === undefined || value === null) continue;
    if (!fits(value)) return `"${field}" must be ${form}`;
    server[field] = value;
  }
  // `disabled` is how several clients say it.
  const { disabled = false } = entry;
  if (typeof disabled !== "boolean") return '"disabled" must be true or false';
  if (disabled) server["enabled"] = false;
  const type = entry["type"] ?? entry["transport"];
  if (type !== undefined) {
    const known = type === "streamableHttp" ? "streamable-http" : type;
    if (!mcpServerTypes.includes(known as McpServerType))
      return `"type" must be one of ${mcpServerTypes.join(", ")}`;
    server["type"] = known;
  }
  return findMisfit(server as unknown as McpServerConfig) ?? (server as unknown as McpServerConfig);
}

function findMisfit({ command, url, type }: McpServerConfig): string | undefined {
  if (command !== undefined && url !== undefined) return 'it has both "command" and "url"; leave one out';
  if (command === undefined && url === undefined) return 'it has neither "command" nor "url"; give it one';
  if (type === "stdio" && command === undefined) return '"type" is stdio, which needs a "command"';
  if (type !== undefined && type !== "stdio" && url === undefined)
    return `"type" is ${type}, which needs a "url"`;
  if (url !== undefined && findScheme(url) === undefined)
    return `"url" must be an ${addressSchemes.map((scheme) => `${scheme}://`).join(" or ")} address`;
  return undefined;
}
