import { showInvisible } from "../../../base/index.ts";
import { HostError } from "../../errors.ts";

export type Headers = Readonly<Record<string, string>>;

const token = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const fieldValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

// They belong to the connection. A Host of one's own would reach another site than the one that was allowed.
const ofTheConnection: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * The headers as they are sent, names in lower case.
 *
 * @throws {HostError} CONNECT_HEADER for a name or value that HTTP cannot carry (line breaks, NUL) or a header of the connection.
 */
export function toRequestHeaders(given: Headers, userAgent: string): Record<string, string> {
  const headers: Record<string, string> = Object.assign(Object.create(null), {
    accept: "*/*",
    "accept-encoding": "gzip, br",
    "user-agent": userAgent,
  });
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (!token.test(name)) throw refuse(name, "its name is no HTTP token; use letters, digits and hyphens");
    if (!fieldValue.test(value)) {
      throw refuse(name, "its value has a line break, NUL or a character beyond Latin-1; encode it");
    }
    if (ofTheConnection.has(lower)) throw refuse(name, "the connection sets it; leave it out");
    headers[lower] = value;
  }
  return headers;
}

// Whatever else a header is called, it may be a credential.
const harmless: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "content-language",
  "content-type",
  "user-agent",
]);

/** What may go on to another origin. */
export function withoutCredentials(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => harmless.has(name)));
}

export function withoutBodyHeaders(headers: Headers): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith("content-")));
}

function refuse(name: string, why: string): HostError {
  return new HostError("CONNECT_HEADER", `Cannot send header "${showInvisible(name).slice(0, 80)}": ${why}`);
}
