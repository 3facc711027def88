import { isRecord } from "../../base/index.ts";

/** Who is at the other end of a call. */
export interface McpClient {
  readonly transport: "stdio" | "http";
  /** Whom the credential names: the name of the token, `local` on stdio, `anonymous` where no token is asked for. */
  readonly principal: string;
  /** The same for as long as it is the same connection or session; undefined where each request stands for itself (2026-07-28 over HTTP). */
  readonly session: string | undefined;
  /** What the client says it is. Nothing vouches for it: show it, decide nothing by it. */
  readonly name: string;
  readonly version: string;
  /** The revision it speaks, such as `2026-07-28`. */
  readonly protocolVersion: string;
  readonly capabilities: ClientCapabilities;
}

/** What the transport knows of a client, whatever the client says. */
export type ClientSource = Pick<McpClient, "transport" | "principal" | "session">;

/**
 * The identity by which the client's user is known where approvals are answered. Nothing in it is the
 * client's to choose.
 */
export function formatIdentity({ transport, principal }: Omit<ClientSource, "session">): string {
  if (transport === "stdio") return "mcp:stdio";
  // Who may answer is matched by globs: a name must not be one that stands for others.
  return `mcp:${encodeURIComponent(principal).replaceAll("*", "%2A")}`;
}

/** What the client declared that it can do; a key that is absent it can't. */
export interface ClientCapabilities {
  readonly elicitation?: { readonly form?: unknown; readonly url?: unknown };
  readonly sampling?: { readonly tools?: unknown; readonly context?: unknown };
  readonly roots?: Readonly<Record<string, unknown>>;
  readonly [capability: string]: unknown;
}

/** The capabilities in what a client sent; whatever has the wrong form it can't. */
export function toCapabilities(value: unknown): ClientCapabilities {
  if (!isRecord(value)) return {};
  const capabilities: Record<string, unknown> = {};
  for (const [key, part] of Object.entries(value)) if (isRecord(part)) capabilities[key] = part;
  return capabilities;
}

/** `elicitation: {}` is how clients said "forms" before there was anything else. */
export function canElicit({ elicitation }: ClientCapabilities, mode: "form" | "url"): boolean {
  if (elicitation === undefined) return false;
  if (mode === "url") return elicitation.url !== undefined;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** The name and version in a `clientInfo`, cut to what fits a line. */
export function toClientInfo(value: unknown): { name: string; version: string } {
  const { name, version } = isRecord(value) ? value : {};
  return { name: toShort(name, "unknown"), version: toShort(version, "") };
}

function toShort(value: unknown, otherwise: string): string {
  return typeof value === "string" && value !== "" ? value.slice(0, 100) : otherwise;
}
