import { describeServers, type ServerState } from "../../../app/servers/index.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openServers } from "../../mcp/open-servers.ts";
import { unknownServer } from "../../mcp/unknown-server.ts";
import type { Session } from "../../session.ts";

/** `haft mcp status`: connects to each, and says what came of it. */
export async function showStatus(session: Session, names: readonly string[]): Promise<void> {
  const { configuredServers } = await import("../../../app/index.ts");
  const { servers, faults } = await configuredServers(await session.home(), session.folder());
  const known = new Set([...servers.map(({ server }) => server.name), ...faults.map(({ where }) => where)]);
  for (const name of names) if (!known.has(name)) throw unknownServer(name, known, "look at");
  const wanted = (name: string) => names.length === 0 || names.includes(name);
  const app = await openServers(session, names.length === 0 ? undefined : names);
  const states = describeServers(app, { servers, faults }).filter(({ server }) => wanted(server));
  if (states.some(isUnwell)) session.exitCode = exitCodes.failed;
  if (session.asJson) session.terminal.json(states);
  else if (states.length === 0) {
    session.terminal.err(
      "No MCP servers are configured; add one with `haft mcp add`, or `haft mcp import`\n",
    );
  } else {
    const { renderStates } = await import("../../text/mcp-status.ts");
    session.terminal.out(renderStates(states, session.terminal));
  }
}

function isUnwell({ status }: ServerState): boolean {
  return status === "failed" || status === "degraded" || status === "invalid";
}
