import type { CheckedAddress } from "./address.ts";
import { type AddressNet, parseNet } from "./address.ts";
import type { WebAddress } from "./web-address.ts";

/** What of an address decides whether it may be dialled. */
export type Peer = Pick<WebAddress, "host" | "port" | "isLiteral">;

type HostPattern = { readonly port: number | undefined } & (
  | { readonly kind: "any" }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "below"; readonly suffix: string }
  | { readonly kind: "net"; readonly net: AddressNet }
);

/** The hosts that a call may connect to without being asked for, compiled from `allowedHosts`. */
export class AllowedHosts {
  readonly entries: readonly string[];
  readonly #patterns: readonly HostPattern[];

  constructor(entries: readonly string[]) {
    this.entries = entries;
    this.#patterns = entries.flatMap((entry) => parsePattern(entry) ?? []);
  }

  /** Whether the host's own name or address is covered; nothing is looked up. */
  covers(target: Peer): boolean {
    return this.#ofPort(target).some(
      (pattern) =>
        pattern.kind === "any" ||
        (pattern.kind === "net"
          ? target.isLiteral && pattern.net.contains(target.host)
          : matches(pattern, target)),
    );
  }

  /** Exactly this name stands in the list, so its owner meant it. */
  names(target: Peer): boolean {
    return this.#ofPort(target).some((pattern) => pattern.kind === "name" && pattern.name === target.host);
  }

  /**
   * Whether an address that is not public may be dialled all the same: it stands in the list, alone or in a net, or
   * it belongs to a listed name that the public DNS cannot answer (`localhost`, `db.internal`, a single label).
   * Metadata services have to be listed by their one address.
   */
  opens(target: Peer, { address, rule }: CheckedAddress): boolean {
    return this.#ofPort(target).some((pattern) =>
      pattern.kind === "net"
        ? pattern.net.contains(address) && (rule !== "cloud metadata" || pattern.net.isSingle)
        : matches(pattern, target) && nameOpens(target.host, rule),
    );
  }

  /** Whether `opens` can say yes for this target at all. */
  mayOpen(target: Peer): boolean {
    return this.#ofPort(target).some((pattern) => pattern.kind === "net" || matches(pattern, target));
  }

  #ofPort({ port }: Peer): readonly HostPattern[] {
    return this.#patterns.filter((pattern) => pattern.port === undefined || pattern.port === port);
  }
}

/** Whether a pattern matches by name; `*` alone names nobody. */
function matches(pattern: HostPattern, { host, isLiteral }: Peer): boolean {
  if (pattern.kind === "name") return host === pattern.name;
  return pattern.kind === "below" && !isLiteral && host.endsWith(pattern.suffix);
}

/** An entry that cannot be read allows nothing. */
function parsePattern(entry: string): HostPattern | undefined {
  const text = entry.trim();
  if (text.includes("/") || text.split(":").length > 2) return parseNetPattern(text);
  const [, rest = "", digits] = /^([^:]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (rest === "" || port === 0 || (port !== undefined && port > 65_535)) return undefined;
  if (rest === "*") return { kind: "any", port };
  const isBelow = rest.startsWith("*.");
  const name = canonicalHost(isBelow ? rest.slice(2) : rest);
  if (name === undefined) return undefined;
  const net = parseNet(name);
  if (net !== undefined) return isBelow ? undefined : { kind: "net", net, port };
  return isBelow ? { kind: "below", suffix: `.${name}`, port } : { kind: "name", name, port };
}

function parseNetPattern(text: string): HostPattern | undefined {
  const [, bracketed, digits] = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(text) ?? [];
  const net = parseNet(bracketed ?? text);
  if (net === undefined) return undefined;
  return { kind: "net", net, port: digits === undefined ? undefined : Number(digits) };
}

/** The host as a URL would have it: lower case, IDN in ASCII, no trailing dot. */
function canonicalHost(host: string): string | undefined {
  if (/[^\p{L}\p{M}\p{N}.\-_]/u.test(host)) return undefined;
  const url = URL.parse(`http://${host}/`);
  const name = url?.hostname.replace(/\.$/, "");
  return name === undefined || name === "" || name.startsWith(".") || name.includes("..") ? undefined : name;
}

const privateSuffixes = [".localhost", ".local", ".internal", ".home.arpa"];
const ofOwnNets: ReadonlySet<CheckedAddress["rule"]> = new Set(["loopback", "private", "carrier-grade NAT"]);

/** An address that an owner may well run a service on: not a metadata service, multicast or the like. */
export function isOfOwnNet({ rule }: CheckedAddress): boolean {
  return ofOwnNets.has(rule);
}

function nameOpens(host: string, rule: CheckedAddress["rule"]): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return rule === "loopback";
  const isPrivateName = !host.includes(".") || privateSuffixes.some((suffix) => host.endsWith(suffix));
  return isPrivateName && ofOwnNets.has(rule);
}

const metadataNames: ReadonlySet<string> = new Set([
  "metadata",
  "metadata.google.internal",
  "metadata.goog",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.platformequinix.com",
  "instance-data",
  "instance-data.ec2.internal",
  "rancher-metadata",
]);

/** Why a name is refused before it is looked up, unless it is listed as it stands. */
export function reservedNameRule(host: string): "cloud metadata" | "loopback" | undefined {
  if (metadataNames.has(host)) return "cloud metadata";
  return host === "localhost" || host.endsWith(".localhost") ? "loopback" : undefined;
}
