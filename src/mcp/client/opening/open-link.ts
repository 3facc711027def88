import type { Client, Transport } from "@modelcontextprotocol/client";
import { type AddressScheme, findScheme } from "../config.ts";
import { unavailable } from "../faults.ts";
import { limits } from "../limits.ts";
import type { Link } from "../link.ts";
import { Pace } from "../pace.ts";
import { openHttpLink } from "./open-http.ts";
import { openStdioLink } from "./open-stdio.ts";
import type { Era, Opening, OpenLinkOptions } from "./opening.ts";

const modernVersion = "2026-07-28";
const forever = 2 ** 31 - 1;

/**
 * Connects to a server in the way that worked before, or in those that there are, one after the other, each with a
 * client of its own. The package is loaded with the first.
 *
 * @throws whatever the last way failed with; the reason of the deadline.
 */
export async function openLink(options: OpenLinkOptions): Promise<Link> {
  const sdk = await import("../sdk.ts");
  const { server, services, clock, deadline, prepare } = options;
  const { name = "haft", version = "0" } = services.clientInfo ?? {};
  const pace = new Pace({
    burst: limits.burst,
    perSecond: limits.messagesPerSecond,
    floodMs: limits.floodMs,
    clock,
    toFlood: () =>
      unavailable(server.name, "it sends more messages than can be read; report it to whoever makes it"),
  });

  async function connect(transport: Transport, era: Era): Promise<Client> {
    const client = new sdk.Client(
      { name, version },
      {
        capabilities: {
          elicitation: { form: { applyDefaults: true }, url: {} },
          ...(server.roots === true && { roots: {} }),
        },
        versionNegotiation: { mode: era === "modern" ? { pin: modernVersion } : era },
        inputRequired: { autoFulfill: false },
        // Results are checked elsewhere, by a validator that a server can't keep busy.
        jsonSchemaValidator: {
          getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
        },
      },
    );
    prepare(client);
    try {
      await deadline.within(client.connect(transport, { timeout: forever }));
      return client;
    } catch (error) {
      await transport.close().catch(() => undefined);
      throw error;
    }
  }

  const opening: Opening = { ...options, sdk, pace, connect };
  const { url } = server;
  if (url === undefined) return openStdioLink(opening);
  const scheme = findScheme(url);
  if (scheme === undefined) throw unavailable(server.name, "its address leads to no server; correct its url");
  return openers[scheme](opening, url);
}

/** Connects to an address of each scheme. */
const openers: Readonly<Record<AddressScheme, (opening: Opening, url: string) => Promise<Link>>> = {
  http: openHttpLink,
  https: openHttpLink,
};
