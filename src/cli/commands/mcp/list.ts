import type { ConfiguredServer } from "../../../app/index.ts";
import { shownServer } from "../../../app/servers/index.ts";
import type { Session } from "../../session.ts";

/** `haft mcp list`: what is configured. Nothing is started, and no value of a secret or a variable is read. */
export async function listServers(session: Session): Promise<void> {
  const { configuredServers } = await import("../../../app/index.ts");
  const { terminal } = session;
  const { servers, faults } = await configuredServers(await session.home(), session.folder());
  if (session.asJson) {
    terminal.json({ servers: servers.map(toData), faults });
    return;
  }
  session.warn(
    faults.map(
      ({ file, where, message }) => `the MCP server "${where}" of ${file} can't be used: ${message}`,
    ),
  );
  if (servers.length === 0) {
    terminal.err("No MCP servers are configured; add one with `haft mcp add`, or `haft mcp import`\n");
    return;
  }
  const { renderServerList } = await import("../../text/mcp-status.ts");
  terminal.out(renderServerList(servers, terminal));
  if (servers.some(({ state }) => state === "untrusted")) {
    terminal.err(
      "Those that are not trusted are never started; read the project's file, then run `haft trust`\n",
    );
  }
}

function toData({ server, place, file, state }: ConfiguredServer) {
  return { ...shownServer(server), place, file, state };
}
