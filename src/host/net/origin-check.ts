import { isIP } from "node:net";

/** Who may call an HTTP server, by the address that was called and the web page that calls. */
export interface OriginRules {
  /** The names in `Host` that are the server's own, with or without a port. */
  readonly hosts: readonly string[];
  /** Web pages that may call, beside those this server sends itself: `https://app.example.com`, `http://localhost:*`. */
  readonly origins?: readonly string[] | undefined;
  /** The server is called by any IP address too: a name that was made to point here (DNS rebinding) is never one. */
  readonly takesAddresses?: boolean;
}

/** The names of loopback, as they stand in `Host`. */
export const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** The headers of a request, as node:http gives them. */
type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Says why a request is not let in; undefined for one whose `Host` and `Origin` are in order. */
export type OriginCheck = (headers: Headers) => string | undefined;

/**
 * Makes a check of `Host` and `Origin` that keeps other web pages from calling a server of this machine. A page may
 * call if its origin is the very address that was called, port included; other programs of this machine are no
 * exception.
 *
 * @example
 * ```ts
 * const check = createOriginCheck({ hosts: loopbackHosts });
 * check({ host: "localhost:8787" }); // → undefined
 * check({ host: "evil.example" }) === undefined; // → false
 * ```
 */
export function createOriginCheck(rules: OriginRules): OriginCheck {
  const names = new Set(rules.hosts.map((name) => name.toLowerCase()));
  const origins = new Set((rules.origins ?? []).map((origin) => origin.toLowerCase()));
  // Most requests repeat a Host that has passed before.
  let known: string | undefined;
  return (headers) => {
    const host = readOne(headers["host"]);
    const origin = readOne(headers["origin"]);
    if (host === undefined || (host !== known && !isKnownHost(host, names, rules.takesAddresses === true))) {
      return describeRefusal("Host", host, "add it to the allowed hosts if it is yours");
    }
    known = host;
    if (origin !== undefined && !isKnownOrigin(origin, host, origins)) {
      return describeRefusal("Origin", origin, "add it to the allowed origins if you trust that page");
    }
    return undefined;
  };
}

/** A header that is there several times is none that is known. */
function readOne(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === "object" ? value.join(", ") : value;
}

function isKnownHost(header: string, names: ReadonlySet<string>, takesAddresses: boolean): boolean {
  const host = header.toLowerCase();
  const name = host.replace(/:\d+$/, "");
  if (names.has(host) || names.has(name)) return true;
  return takesAddresses && isIP(name.replace(/^\[|\]$/g, "")) !== 0;
}

function isKnownOrigin(header: string, host: string, origins: ReadonlySet<string>): boolean {
  const origin = header.toLowerCase();
  // A server behind another one that speaks TLS can't see whether it was called by https.
  if (["http", "https"].some((scheme) => origin === URL.parse(`${scheme}://${host}`)?.origin)) return true;
  return origins.has(origin) || origins.has(origin.replace(/(?::\d+)?$/, ":*"));
}

function describeRefusal(header: string, value: string | undefined, remedy: string): string {
  return `Cannot answer this request: its ${header} "${(value ?? "").slice(0, 100)}" is not this server's; ${remedy}`;
}
