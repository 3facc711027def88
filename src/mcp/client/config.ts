import type { McpServerAuth } from "./oauth/auth-config.ts";

/**
 * One MCP server as its owner configures it: the entry that other clients write below `mcpServers`, and what haft
 * adds. It has a `command` or a `url`.
 *
 * A server that is a process is kept in like a command of `bash`: it reads the folder it starts in, what its
 * command names by a full path (of a script, its package) and the system's files, writes nothing, and reaches no network, unless `reads`, `paths` and `hosts` say otherwise. One that `npx` or `uvx` fetches
 * needs both the first time: `hosts: ["registry.npmjs.org"]` and `paths: ["~/.npm"]`. One that is installed in
 * the project needs neither, and starts faster.
 */
export interface McpServerConfig {
  readonly name: string;
  readonly command?: string;
  readonly args?: readonly string[];
  /** Beside the few variables that every process gets. A value may be `secret:NAME`, or hold `${secret:NAME}`. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default the project's folder */
  readonly cwd?: string;
  readonly url?: string;
  /** The headers, written as the values of `env` are. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How haft logs in at its `url`. @default a person does, when the server asks for it */
  readonly auth?: McpServerAuth;
  /** `http` and `sse` try Streamable HTTP first and then SSE; `streamable-http` is that alone. @default by `command` or `url` */
  readonly type?: McpServerType;
  /** @default true */
  readonly enabled?: boolean;
  /** The only tools that are offered, as globs over the server's own names. @default all */
  readonly allow?: readonly string[];
  /** Tools that are not offered, whatever `allow` says. */
  readonly deny?: readonly string[];
  /** Other names for tools, by the server's own. The alias is made of the new one. */
  readonly rename?: Readonly<Record<string, string>>;
  /** Milliseconds that one request may take. @default 60,000 */
  readonly timeout?: number;
  /** Milliseconds to connect in. @default 30,000 */
  readonly connectTimeout?: number;
  /** Calls that the server has at once. @default 16 */
  readonly concurrency?: number;
  /** Hosts that its process may reach: `example.com`, `example.com:8080`. @default none */
  readonly hosts?: readonly string[];
  /** Folders and files that its process may read beside the project's; `~/` is the user's home. @default none */
  readonly reads?: readonly string[];
  /** Folders and files that its process may change; `~/` is the user's home. @default none */
  readonly paths?: readonly string[];
  /** Runs its process outside the sandbox, with all your rights. @default false */
  readonly unconfined?: boolean;
  /** What the owner believes of it. */
  readonly trust?: {
    /**
     * What it says of its tools is so: one that says it only reads may run unasked, and a call of one that says it is
     * idempotent may be repeated. @default false
     */
    readonly annotations?: boolean;
    /**
     * Tools that it calls read-only may run unasked, and nothing else that it says is believed. By name with the
     * fingerprint of the definition that the owner saw: a tool that is not listed, or whose definition is another, asks.
     * `true`: those of its accepted definitions; nothing where `pin` is false. @default false
     */
    readonly readOnly?: boolean | Readonly<Record<string, string>>;
  };
  /** false: its definitions are taken as they come, and nobody looks at a change. @default true */
  readonly pin?: boolean;
  /** Tools whose calls may be repeated when the connection breaks, as globs over the server's own names. @default none */
  readonly repeat?: readonly string[];
  /** Tells the server the folders of a call when it asks for roots. @default false */
  readonly roots?: boolean;
}

/** How a server is reached; `http` and `streamable-http` are the same. */
export const mcpServerTypes = ["stdio", "http", "streamable-http", "sse"] as const;

/** One of {@link mcpServerTypes}. */
export type McpServerType = (typeof mcpServerTypes)[number];

/** The schemes of a `url`. */
export const addressSchemes = ["http", "https"] as const;
export type AddressScheme = (typeof addressSchemes)[number];

/** The scheme of an address; undefined for one that leads to no server. */
export function findScheme(url: string): AddressScheme | undefined {
  return addressSchemes.find((scheme) => URL.parse(url)?.protocol === `${scheme}:`);
}

export const defaultTimeoutMs = 60_000;
export const defaultConnectTimeoutMs = 30_000;
export const defaultConcurrency = 16;

/** How a server is reached, in one line for people: the command, or the address without what may be secret in it. */
export function describeTarget({ command, args = [], url }: McpServerConfig): string {
  if (url === undefined) return [command ?? "", ...args].join(" ");
  const parsed = URL.parse(url);
  return parsed === null ? url : `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}

/** The target of a server's calls, for rules: the origin of its address, or the whole address where that names no host. */
export function findTarget({ name, url }: McpServerConfig): string {
  if (url === undefined) return `mcp:${name}`;
  const { protocol, host, href } = new URL(url);
  return host === "" ? href : `${protocol}//${host}`;
}

/** What a server is, whatever it says of itself: a change of it is another server. */
export function identify({ command, args, cwd, url, type }: McpServerConfig): readonly unknown[] {
  return [command ?? null, args ?? [], cwd ?? null, url ?? null, type ?? null];
}
