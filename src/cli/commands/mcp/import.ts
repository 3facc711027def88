import { homedir } from "node:os";
import type { App, FoundServer, FoundServers, ServerFile } from "../../../app/index.ts";
import { shownServer } from "../../../app/servers/index.ts";
import type { McpServerConfig } from "../../../mcp/index.ts";
import { confirm, showSubject } from "../../asking/confirm.ts";
import { refuseAgents, requirePin } from "../../asking/owner-only.ts";
import { CliError } from "../../errors.ts";
import { settleNeeds, settleTrust, trustReadOnly, tryServer } from "../../mcp/needs.ts";
import { type SecretChoice, settleSecrets, storeSecrets } from "../../mcp/secrets.ts";
import type { Session } from "../../session.ts";
import { renderServer, shownWord } from "../../text/mcp-server.ts";

export interface ImportOptions {
  readonly from?: string;
  readonly all?: boolean;
  readonly host?: readonly string[];
  readonly path?: readonly string[];
  readonly suggested?: boolean;
  readonly trustReadOnly?: boolean;
  readonly secrets?: SecretChoice;
  readonly yes?: boolean;
}

/** `haft mcp import`: takes over what other clients have, each after its owner has seen all of it. */
export async function importServers(
  session: Session,
  names: readonly string[],
  options: ImportOptions,
): Promise<void> {
  if (names.length === 0 && (options.host ?? options.path) !== undefined) {
    throw new CliError(
      "CLI_USAGE",
      "Cannot import with --host or --path: name the servers that they are for, as in `haft mcp import files --path .`",
    );
  }
  const found = await find(session, options.from);
  const { taken, free } = await divide(session, found);
  const wanted = chosen(found, free, names, options);
  if (!session.asJson) await tellOfFound(session, found, taken);
  const isLooking =
    names.length === 0 && options.all !== true && (options.yes === true || !session.terminal.interactive);
  const imported = isLooking ? [] : await take(session, wanted, options);
  if (session.asJson) {
    session.terminal.json({
      imported,
      found: found.servers.map(({ server, ...rest }) => ({ ...rest, server: shownServer(server) })),
      passedOver: found.passedOver,
    });
  } else if (found.servers.length === 0) session.terminal.err("No other client here has MCP servers\n");
  else if (isLooking) {
    session.terminal.out(wanted.map((one) => renderFound(session, one)).join("\n"));
    session.terminal.err("Nothing is imported yet: name those that you want, or give --all\n");
  } else if (imported.length > 0) {
    session.terminal.err("`haft mcp status` connects to them, `haft tools` shows what they offer\n");
  }
}

async function find(session: Session, from: string | undefined): Promise<FoundServers> {
  const [{ clientKinds, findClientServers }, { readVariable }] = await Promise.all([
    import("../../../app/index.ts"),
    import("../../../host/index.ts"),
  ]);
  if (from !== undefined && !clientKinds.some(({ id }) => id === from)) {
    const ids = clientKinds.map(({ id }) => id).join(", ");
    throw new CliError("CLI_NOT_FOUND", `Cannot import from "${from}"; there are ${ids}`);
  }
  const { servers, passedOver } = await findClientServers({
    home: homedir(),
    folder: session.folder(),
    platform: process.platform,
    variable: readVariable,
  });
  const isWanted = ({ client }: { readonly client: string }) => from === undefined || client === from;
  return { servers: servers.filter(isWanted), passedOver: passedOver.filter(isWanted) };
}

/** Those whose names are free; of several of one name only the first is. */
async function divide(session: Session, { servers }: FoundServers) {
  const { configuredServers } = await import("../../../app/index.ts");
  const { servers: ours, faults } = await configuredServers(await session.home(), session.folder());
  const names = new Set([
    ...ours.filter(({ place }) => place === "user").map(({ server }) => server.name),
    ...faults.map(({ where }) => where),
  ]);
  const taken: FoundServer[] = [];
  const free: FoundServer[] = [];
  for (const one of servers) {
    (names.has(one.server.name) ? taken : free).push(one);
    names.add(one.server.name);
  }
  return { taken, free };
}

/**
 * Those that were named; with --all those of the user's own files: a file in the project's folder may come from anybody,
 * and consents to nothing. Else all, each to be asked about.
 */
function chosen(
  found: FoundServers,
  free: readonly FoundServer[],
  names: readonly string[],
  { all = false }: ImportOptions,
): readonly FoundServer[] {
  const missing = names.filter((name) => !free.some(({ server }) => server.name === name));
  if (missing.length > 0) {
    const isThere = found.servers.some(({ server }) => missing.includes(server.name));
    const others = free.map(({ server }) => shownWord(server.name));
    const why = isThere
      ? "haft has one of that name; remove it first with `haft mcp remove`"
      : others.length > 0
        ? `those found are ${others.join(", ")}`
        : "no other client here has one that haft does not have";
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot import ${missing.map((name) => `"${name}"`).join(", ")}: ${why}`,
    );
  }
  if (names.length > 0) return free.filter(({ server }) => names.includes(server.name));
  return all ? free.filter(({ owner }) => owner === "user") : free;
}

async function tellOfFound(
  session: Session,
  found: FoundServers,
  taken: readonly FoundServer[],
): Promise<void> {
  session.warn(
    found.passedOver.map(({ file, server, reason }) =>
      server === undefined
        ? `${file} is passed over: ${reason}`
        : `${shownWord(server)} of ${file} is passed over: ${reason}`,
    ),
  );
  for (const { server, file } of taken) {
    session.terminal.err(
      `${shownWord(server.name)} of ${file} is left: there is one of that name, in haft or in a file before it; --from names the client\n`,
    );
  }
}

interface Imported {
  readonly name: string;
  readonly client: string;
  readonly secrets: readonly string[];
}

async function take(
  session: Session,
  wanted: readonly FoundServer[],
  options: ImportOptions,
): Promise<readonly Imported[]> {
  await refuseAgents("import MCP servers");
  if (wanted.length === 0) return [];
  await requirePin(session, "import MCP servers");
  const app = await session.openApp();
  const to: ServerFile = { home: await session.home(), folder: session.folder(), place: "user" };
  const imported: Imported[] = [];
  for (const one of wanted) {
    const secrets = await takeOne(session, app, { one, to, options });
    if (secrets !== undefined) imported.push({ name: one.server.name, client: one.client, secrets });
  }
  return imported;
}

/** The names of its secrets; undefined for one that was refused. */
async function takeOne(
  session: Session,
  app: App,
  {
    one,
    to,
    options,
  }: { readonly one: FoundServer; readonly to: ServerFile; readonly options: ImportOptions },
): Promise<readonly string[] | undefined> {
  const { addServers, definitionSource } = await import("../../../app/index.ts");
  const { terminal } = session;
  const yes = options.yes === true;
  const name = shownWord(one.server.name);
  showSubject(session, renderFound(session, one));
  try {
    await confirm(session, {
      message: `Import ${name}?`,
      action: `import the MCP server "${one.server.name}"`,
      yes,
    });
  } catch (error) {
    // A no is to this one alone.
    if (error instanceof CliError && error.code === "CLI_UNCONFIRMED" && terminal.interactive)
      return undefined;
    throw error;
  }
  const bounded = await settleNeeds(session, withOptions(one.server, options), options);
  const { server, secrets } = await settleSecrets(session, app, bounded, { chosen: options.secrets, yes });
  await storeSecrets(app, secrets);
  const { file } = await addServers(to, [server]);
  await (await app.store()).definitions.forget("local", definitionSource(to, server.name));
  if (!session.asJson) {
    terminal.out(`${name} is in ${file}\n`);
    for (const secret of secrets) terminal.out(`${secret.name} is in the secret store\n`);
  }
  await settleReadOnly(session, to, { server, options });
  return secrets.map((secret) => secret.name);
}

/** Connects to a server that was taken over, where its owner may believe which of its tools only read. */
async function settleReadOnly(
  session: Session,
  to: ServerFile,
  { server, options }: { readonly server: McpServerConfig; readonly options: ImportOptions },
): Promise<void> {
  const { terminal } = session;
  const asks = options.yes !== true && terminal.interactive && !session.asJson;
  if (options.trustReadOnly !== true && !asks) return;
  const { readOnlyTools: tools } = (await tryServer(session, server.name)).health;
  if (options.trustReadOnly === true) await trustReadOnly(session, to, { server, tools });
  else if (await settleTrust(session, to, { server, tools: tools ?? {} }))
    terminal.out("They may run unasked\n");
}

function withOptions(server: McpServerConfig, { host, path }: ImportOptions): McpServerConfig {
  const isProcess = server.command !== undefined;
  return {
    ...server,
    ...(isProcess && host !== undefined && { hosts: [...(server.hosts ?? []), ...host] }),
    ...(isProcess && path !== undefined && { paths: [...(server.paths ?? []), ...path] }),
  };
}

function renderFound(session: Session, { server, clientName, file, owner, notes }: FoundServer): string {
  const origin = `${clientName}, ${file}${owner === "project" ? " (of the project: anybody may have written it)" : ""}`;
  const lines = [`from ${shownWord(origin)}`, ...notes];
  return `${renderServer(server, session.terminal)}${lines.map((line) => `  ${line}\n`).join("")}`;
}
