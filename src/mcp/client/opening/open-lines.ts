import type { McpError } from "../../errors.ts";
import { toMcpError } from "../faults.ts";
import { Link } from "../link.ts";
import { Wire } from "../wire.ts";
import type { Era, Opening } from "./opening.ts";
import { type LinePeer, StdioServer } from "./stdio-server.ts";

/**
 * Talks with a server by lines, over one connection. Servers of old are many, and some end at a word that they do not
 * know: theirs comes first.
 *
 * @param explainEnd says why the server said nothing more
 */
export async function openLineLink(
  opening: Opening,
  peer: LinePeer,
  explainEnd: () => Promise<McpError>,
): Promise<Link> {
  const { server, clock, deadline, pace, remembered } = opening;
  let wire: Wire | undefined;
  let lost: Error | undefined;
  const stdio = new StdioServer(server.name, peer, pace, {
    stray: () => {
      if (wire !== undefined) wire.strays++;
    },
    lost: (error) => {
      lost = error;
      wire?.failAll(error);
      if (wire?.asks.size === 0) deadline.fail(error); // Of the very first answer.
    },
  });
  const keep = { value: true };
  const eras: readonly Era[] = remembered.era === "modern" ? ["modern", "legacy"] : ["legacy", "modern"];
  try {
    for (const [at, era] of eras.entries()) {
      wire = new Wire(server.name, stdio.transport(keep), () => clock.now());
      try {
        const client = await opening.connect(wire, era);
        keep.value = false;
        return new Link(server.name, {
          client,
          wire,
          clock,
          callResult: opening.sdk.specTypeSchemas.CallToolResult,
          ways: { era: era as "legacy" | "modern" },
          explainEnd,
          close: async () => {
            await client.close();
            await peer.close();
          },
        });
      } catch (error) {
        const isLast =
          at === eras.length - 1 || stdio.over || deadline.failure !== undefined || lost !== undefined;
        if (isLast || !isRefusal(error)) throw error;
      }
    }
    throw new Error("unreachable");
  } catch (error) {
    const failure =
      deadline.failure ??
      (stdio.over ? await explainEnd() : toMcpError(server.name, "the connection", error));
    void peer.close();
    throw failure;
  }
}

/** The server is there, and does not want to talk like this. */
function isRefusal(error: unknown): boolean {
  const code: unknown = Object(error).code;
  return typeof code === "number" || code === "ERA_NEGOTIATION_FAILED";
}
