import { isIP } from "node:net";

/**
 * True for the names and addresses by which a machine reaches itself, also in the brackets of a URL. A name that
 * only begins like one, such as `127.example.com`, may be anybody's.
 */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
  if (name === "localhost" || name.endsWith(".localhost") || name === "::1") return true;
  return isIP(name) === 4 && name.startsWith("127.");
}

/** The address at which a listener is reached, `http://127.0.0.1:8787`: one that is bound to all addresses by loopback. */
export function toHttpOrigin(host: string, port: number): string {
  if (host === "0.0.0.0") return `http://127.0.0.1:${port}`;
  if (host === "::") return `http://[::1]:${port}`;
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
