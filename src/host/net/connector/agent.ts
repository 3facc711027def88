import { lookup as systemLookup } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import type { Agent, buildConnector } from "undici";
import type { ConnectBounds } from "./bounds.ts";
import { keepParserSmall } from "./parser-size.ts";

/** All addresses of a host name, as text. */
export type Resolve = (host: string) => Promise<readonly string[]>;

export interface AgentOptions {
  readonly bounds: ConnectBounds;
  readonly resolve: Resolve;
  readonly connectTimeoutMs: number;
}

/** Connections that were checked when they were made: a name is resolved once, and what was checked is dialled. */
export async function openAgent(options: AgentOptions): Promise<Agent> {
  const undici = await import("undici");
  return new undici.Agent({
    connect: (target, callback) => {
      void connect(undici.buildConnector, target, callback, options);
    },
  });
}

async function connect(
  build: typeof buildConnector,
  target: buildConnector.Options,
  callback: buildConnector.Callback,
  options: AgentOptions,
): Promise<void> {
  let addresses: readonly string[];
  try {
    addresses = await checkedAddresses(target, options);
  } catch (error) {
    callback(error as Error, null);
    return;
  }
  const dial = build({
    allowH2: false,
    maxCachedSessions: 0,
    timeout: options.connectTimeoutMs,
    // Not asked for a literal, which was checked as it stands.
    lookup: answerWith(addresses),
  });
  dial(target, (...outcome) => {
    callback(...outcome);
    // Undici gives a failure no second argument, whatever its types say.
    if (outcome[0] === null) keepParserSmall(outcome[1]);
  });
}

async function checkedAddresses(
  target: buildConnector.Options,
  options: AgentOptions,
): Promise<readonly string[]> {
  const host = target.hostname.replace(/^\[|\]$/g, "");
  const isLiteral = isIP(host) !== 0;
  const port = Number(target.port) || (target.protocol === "https:" ? 443 : 80);
  const addresses = isLiteral ? [host] : await options.resolve(host);
  if (addresses.length === 0)
    throw Object.assign(new Error(`"${host}" has no address`), { code: "ENOTFOUND" });
  options.bounds.checkAddresses({ host, port, isLiteral }, addresses);
  return addresses;
}

/** A lookup that knows the answer: what was checked is what is dialled. */
export function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (all === true) callback(null, found);
    else callback(null, first?.address ?? "", first?.family ?? 4);
  };
}

export const resolveBySystem: Resolve = async (host) => {
  const found = await systemLookup(host, { all: true });
  return found.map(({ address }) => address);
};
