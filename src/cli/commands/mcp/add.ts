import type { ServerFile, WrittenServers } from "../../../app/index.ts";
import { shownServer } from "../../../app/servers/index.ts";
import type { McpServerConfig, McpServerType } from "../../../mcp/index.ts";
import { confirm, showSubject } from "../../asking/confirm.ts";
import { requireOwner } from "../../asking/owner-only.ts";
import { CliError } from "../../errors.ts";
import { exitCodes } from "../../exit-codes.ts";
import { settleNeeds, settleTrust, trustReadOnly, tryServer } from "../../mcp/needs.ts";
import { type SecretChoice, settleSecrets, storeSecrets } from "../../mcp/secrets.ts";
import { warnOfRelativePaths } from "../../options/relative-paths.ts";
import type { Session } from "../../session.ts";
import { renderServer, shownWord } from "../../text/mcp-server.ts";

export interface AddOptions {
  readonly env?: readonly string[];
  readonly header?: readonly string[];
  readonly host?: readonly string[];
  readonly read?: readonly string[];
  readonly path?: readonly string[];
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly type?: McpServerType;
  readonly timeout?: number;
  readonly cwd?: string;
  readonly unconfined?: boolean;
  readonly project?: boolean;
  readonly replace?: boolean;
  readonly secrets?: SecretChoice;
  readonly connect: boolean;
  readonly suggested?: boolean;
  readonly trustReadOnly?: boolean;
  readonly yes?: boolean;
}

/** `haft mcp add`: writes a server down after its owner has seen all of it, and tries it out. */
export async function addServer(
  session: Session,
  name: string,
  target: readonly string[],
  options: AddOptions,
): Promise<void> {
  if (options.trustReadOnly === true && !options.connect) {
    throw new CliError(
      "CLI_USAGE",
      `Cannot add the MCP server "${name}" with --trust-read-only and --no-connect: what is believed are the definitions that it has now, and only a connection shows them; leave one of the two out`,
    );
  }
  await requireOwner(session, "add an MCP server");
  const typed = await toServer(session, name, target, options);
  const { addServers, definitionSource } = await import("../../../app/index.ts");
  const folder = session.folder();
  const to: ServerFile = {
    home: await session.home(),
    folder,
    place: options.project === true ? "project" : "user",
  };
  await refuseTaken(to, name, options.replace === true);
  const app = await session.openApp();
  const yes = options.yes === true;
  const bounded = await settleNeeds(session, typed, options);
  const relative = to.place === "user" ? warnOfRelativePaths(bounded, folder) : undefined;
  if (relative !== undefined) session.warn([relative]);
  const { server, secrets } = await settleSecrets(session, app, bounded, { chosen: options.secrets, yes });
  showSubject(session, renderServer(server, session.terminal));
  await confirm(session, {
    message: server.url === undefined ? "Let haft start this program?" : "Let haft connect to this address?",
    action: `add the MCP server "${name}"`,
    yes,
  });
  await storeSecrets(app, secrets);
  const written = await addServers(to, [server], options.replace === true);
  // What was let in under this name before was another server.
  await (await app.store()).definitions.forget("local", definitionSource(to, name));
  await tell(session, { server, to, written, secrets: secrets.map((secret) => secret.name), options });
}

interface Added {
  readonly server: McpServerConfig;
  readonly to: ServerFile;
  readonly written: WrittenServers;
  readonly secrets: readonly string[];
  readonly options: AddOptions;
}

async function tell(session: Session, { server, to, written, secrets, options }: Added): Promise<void> {
  const { terminal } = session;
  const { name } = server;
  const tries = options.connect && written.trusted;
  if (!session.asJson) {
    terminal.out(`${shownWord(name)} is in ${written.file}\n`);
    for (const secret of secrets) terminal.out(`${secret} is in the secret store\n`);
    if (!written.trusted) {
      terminal.err(
        `${written.file} is not trusted, so the server is not used yet; read the file, then run \`haft trust\`\n`,
      );
    }
  }
  const offer = tries ? await tryServer(session, name) : undefined;
  if (options.trustReadOnly === true)
    await trustReadOnly(session, to, { server, tools: offer?.health.readOnlyTools });
  if (offer !== undefined && offer.health.status !== "ready") session.exitCode = exitCodes.failed;
  if (session.asJson) {
    terminal.json({
      ...written,
      server: shownServer(server),
      secrets,
      ...(offer !== undefined && { connected: offer }),
    });
  } else if (offer !== undefined) {
    const { renderOffer } = await import("../../text/mcp-status.ts");
    terminal.out(renderOffer(offer, terminal));
    const tools = offer.health.readOnlyTools ?? {};
    const asks = options.yes !== true && options.trustReadOnly !== true;
    if (asks && (await settleTrust(session, to, { server, tools }))) terminal.out("They may run unasked\n");
  }
}

async function toServer(
  session: Session,
  name: string,
  target: readonly string[],
  options: AddOptions,
): Promise<McpServerConfig> {
  const { readServers } = await import("../../../mcp/index.ts");
  const entry = {
    ...toTarget(session, name, target),
    ...(options.env !== undefined && { env: readPairs(options.env, "=", "--env NAME=VALUE") }),
    ...(options.header !== undefined && {
      headers: readPairs(options.header, ":", "--header 'NAME: VALUE'"),
    }),
    ...(options.host !== undefined && { hosts: options.host }),
    ...(options.read !== undefined && { reads: options.read }),
    ...(options.path !== undefined && { paths: options.path }),
    ...(options.allow !== undefined && { allow: options.allow }),
    ...(options.deny !== undefined && { deny: options.deny }),
    ...(options.type !== undefined && { type: options.type }),
    ...(options.timeout !== undefined && { timeout: options.timeout }),
    ...(options.cwd !== undefined && { cwd: options.cwd }),
    ...(options.unconfined === true && { unconfined: true }),
  };
  const { servers, problems } = readServers([{ ...entry, name }]);
  const [server] = servers;
  const misplaced = findMisplaced(entry);
  if (server !== undefined && misplaced === undefined) return server;
  const message = misplaced ?? problems[0]?.message ?? "it can't be read";
  throw new CliError("CLI_USAGE", `Cannot add the MCP server "${name}": ${message}`);
}

/** What means nothing for a server that is no process, or is one. */
function findMisplaced(entry: Readonly<Record<string, unknown>>): string | undefined {
  const ofProcess = {
    env: "--env",
    hosts: "--host",
    reads: "--read",
    paths: "--path",
    cwd: "--cwd",
    unconfined: "--unconfined",
  };
  if (entry["url"] === undefined)
    return entry["headers"] === undefined ? undefined : "--header is for an address; use --env";
  const [found] = Object.entries(ofProcess).filter(([field]) => entry[field] !== undefined);
  return found === undefined
    ? undefined
    : `${found[1]} is for a program that haft starts, and this is an address`;
}

/**
 * What is added. After `--` nothing is an option of haft's: without it, `npx --yes` would be a yes to this
 * very question.
 */
function toTarget(
  { args }: Session,
  name: string,
  words: readonly string[],
): { readonly url: string } | { readonly command: string; readonly args: readonly string[] } {
  const dashes = args.indexOf("--");
  const line = dashes < 0 ? [] : args.slice(dashes + 1);
  const before = words.slice(0, words.length - line.length);
  const [url] = before;
  if (line.length === 0 && before.length === 1 && url !== undefined && /^https?:\/\//i.test(url))
    return { url };
  const [command, ...rest] = line;
  if (before.length === 0 && command !== undefined) return { command, args: rest };
  throw new CliError(
    "CLI_USAGE",
    `Cannot add the MCP server "${name}": give an address, as in \`haft mcp add ${name} https://…\`, or a command after two dashes, as in \`haft mcp add ${name} -- npx …\``,
  );
}

function readPairs(
  pairs: readonly string[],
  separator: string,
  form: string,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf(separator);
      // The value may be a secret, and is not repeated.
      if (at < 1) throw new CliError("CLI_ARGUMENT", `Cannot read what was given: it is written ${form}`);
      const value = pair.slice(at + 1);
      return [pair.slice(0, at).trim(), separator === ":" ? value.trim() : value];
    }),
  );
}

async function refuseTaken(
  { home, folder, place }: ServerFile,
  name: string,
  replace: boolean,
): Promise<void> {
  const { configuredServers } = await import("../../../app/index.ts");
  const { servers, faults } = await configuredServers(home, folder);
  const taken =
    servers.find((one) => one.place === place && one.server.name === name)?.file ??
    faults.find(({ where }) => where === name)?.file;
  if (taken === undefined || replace) return;
  throw new CliError(
    "CLI_USAGE",
    `Cannot add the MCP server "${name}": ${taken} has one of that name; remove it with \`haft mcp remove ${name}\`, or add --replace`,
  );
}
