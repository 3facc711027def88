import { isIP } from "node:net";
import { cutHead, showInvisible } from "../../../base/index.ts";
import { HostError } from "../../errors.ts";

/** A web address, taken apart once: what is checked is what is dialled. */
export interface WebAddress {
  /** Without fragment; the host in lower case, ASCII, without a trailing dot. */
  readonly url: URL;
  /** `https://example.com`, the port only where it is not the scheme's own. */
  readonly origin: string;
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
  readonly isLiteral: boolean;
}

// Longer ones are cut or refused by servers on the way.
const maxUrlChars = 16_384;
const controls = /\p{Cc}/u;

/**
 * Reads `text` as the address of an HTTP server.
 *
 * @throws {HostError} CONNECT_URL for another scheme, user information, port 0, control characters, or no URL at all.
 */
export function parseWebAddress(text: string): WebAddress {
  const trimmed = text.replace(/^ +| +$/g, "");
  if (controls.test(trimmed)) throw refuse(text, "it has control characters; write them as %0A and the like");
  if (trimmed.includes("\\")) throw refuse(text, "it has a backslash; write it as /, or as %5C");
  if (trimmed.length > maxUrlChars)
    throw refuse(text, `it is longer than ${maxUrlChars} characters; send the data in a body`);
  const url = URL.parse(trimmed);
  if (url === null) throw refuse(text, "it is not a whole URL; begin with https:// or http://");
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw refuse(text, `"${url.protocol}" is no scheme to connect by; use https: or http:`);
  }
  if (url.username !== "" || url.password !== "" || /^[a-z]+:\/*[^/?#]*@/i.test(trimmed)) {
    throw refuse(
      withoutUser(url),
      "it carries a user name or password; send them as an Authorization header",
    );
  }
  if (url.port === "0") throw refuse(text, "port 0 cannot be dialled; name another");
  url.hash = "";
  dropTrailingDot(url);
  const host = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
  if (host === "" || host.startsWith(".") || host.includes("..")) {
    throw refuse(text, "its host name has an empty label; check the spelling");
  }
  return { url, origin: url.origin, host, port: findPort(url), isLiteral: isIP(host) !== 0 };
}

function dropTrailingDot(url: URL): void {
  if (url.hostname.endsWith(".")) url.hostname = url.hostname.slice(0, -1);
}

function findPort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function withoutUser(url: URL): string {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare.href;
}

/** `text` for a message: visible, short, and without the query, which may hold a secret. */
export function showUrl(text: string): string {
  const end = text.search(/[?#]/);
  return showInvisible(cutHead(end < 0 ? text : text.slice(0, end), 200)).replace(/\s/g, " ");
}

function refuse(text: string, why: string): HostError {
  return new HostError("CONNECT_URL", `Cannot connect to "${showUrl(text)}": ${why}`);
}
