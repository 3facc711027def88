import type { ConnectBounds } from "./bounds.ts";
import type { HttpMethod } from "./connector.ts";
import { withoutBodyHeaders, withoutCredentials } from "./headers.ts";
import { parseWebAddress, type WebAddress } from "./web-address.ts";

/** One request on the way to an answer. */
export interface Hop {
  readonly target: WebAddress;
  readonly method: HttpMethod;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

const redirectStatus: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export type Redirect = { readonly next: Hop } | { readonly location: string } | undefined;

/** What a redirect asks for: the request to send next, or where it leads if this call may not follow. */
export function followRedirect(
  hop: Hop,
  status: number,
  location: string | undefined,
  bounds: ConnectBounds,
): Redirect {
  if (location === undefined || !redirectStatus.has(status)) return undefined;
  const absolute = URL.parse(location, hop.target.url.href)?.href ?? location;
  const target = tryParse(absolute);
  if (target === undefined || isDowngrade(hop.target, target) || !bounds.covers(target))
    return { location: absolute };
  const dropsBody = status === 303 ? hop.method !== "HEAD" : status < 303 && hop.method === "POST";
  const kept = target.origin === hop.target.origin ? hop.headers : withoutCredentials(hop.headers);
  if (!dropsBody) return { next: { ...hop, target, headers: kept } };
  return { next: { target, method: "GET", headers: withoutBodyHeaders(kept), body: undefined } };
}

function tryParse(url: string): WebAddress | undefined {
  try {
    return parseWebAddress(url);
  } catch {
    return undefined;
  }
}

function isDowngrade(from: WebAddress, to: WebAddress): boolean {
  return from.url.protocol === "https:" && to.url.protocol === "http:";
}
