import type { App, ConfiguredServer } from "../../../app/index.ts";
import type { McpServerConfig } from "../../../mcp/index.ts";
import { confirm } from "../../asking/confirm.ts";
import { requireOwner } from "../../asking/owner-only.ts";
import { CliError } from "../../errors.ts";
import { unknownServer } from "../../mcp/unknown-server.ts";
import type { Session } from "../../session.ts";
import { shownTarget, shownWord } from "../../text/mcp-server.ts";

/** `haft mcp remove`: out of its file, and nothing is known of its tools any more. */
export async function removeOne(
  session: Session,
  name: string,
  { project = false, yes = false }: { readonly project?: boolean; readonly yes?: boolean },
): Promise<void> {
  await requireOwner(session, "remove an MCP server");
  const { configuredServers, definitionSource, removeServer } = await import("../../../app/index.ts");
  const [home, folder] = [await session.home(), session.folder()];
  const { servers, faults } = await configuredServers(home, folder);
  const places = [
    ...servers.filter(({ server }) => server.name === name),
    ...faults
      .filter(({ where }) => where === name)
      .map(
        ({ file }): Pick<ConfiguredServer, "place" | "file" | "server"> => ({
          file,
          place: file === home.config ? "user" : "project",
          server: { name },
        }),
      ),
  ].filter(({ place }) => !project || place === "project");
  const [found] = places;
  if (found === undefined)
    throw unknownServer(
      name,
      servers.map(({ server }) => server.name),
      "remove",
    );
  if (places.length > 1) {
    throw new CliError(
      "CLI_USAGE",
      `Cannot remove the MCP server "${name}": ${places.map(({ file }) => file).join(" and ")} both have one; --project removes the project's, and then this command the other`,
    );
  }
  await confirm(session, {
    message: `Remove ${shownWord(name)} (${shownTarget(found.server)}) from ${found.file}?`,
    action: `remove the MCP server "${name}"`,
    yes,
  });
  const from = { home, folder, place: found.place };
  const written = await removeServer(from, name);
  const app = await session.openApp();
  await (await app.store()).definitions.forget("local", definitionSource(from, name));
  if (found.server.url !== undefined) await forgetLogin(session, app, found.server);
  if (session.asJson) session.terminal.json({ name, removed: true, ...written });
  else session.terminal.out(`${shownWord(name)} is removed from ${written.file}\n`);
}

/** What can't be forgotten is told, and keeps no server in. */
async function forgetLogin(session: Session, app: App, server: McpServerConfig): Promise<void> {
  try {
    await (await app.logins()).logOut(server);
  } catch (error) {
    session.note(error);
  }
}
