import type { ServerFile, ServerNeeds } from "../../app/index.ts";
import type { ServerOffer } from "../../app/servers/index.ts";
import type { McpServerConfig } from "../../mcp/index.ts";
import { askYes } from "../asking/ask-yes.ts";
import { CliError } from "../errors.ts";
import type { Session } from "../session.ts";
import { shownWord } from "../text/mcp-server.ts";
import { openServers } from "./open-servers.ts";

export interface NeedsOptions {
  /** Give it what it is known to need without asking. */
  readonly suggested?: boolean;
  readonly yes?: boolean;
}

/**
 * The server with what it is known to need, once its owner has said yes to that; where nobody can be asked, as it was,
 * with a warning that names the options.
 *
 * @throws {CliError} CLI_CANCELLED
 */
export async function settleNeeds(
  session: Session,
  server: McpServerConfig,
  { suggested, yes }: NeedsOptions,
): Promise<McpServerConfig> {
  const { missingNeeds } = await import("../../app/index.ts");
  const needs = missingNeeds(server, session.folder());
  if (needs === undefined) return server;
  const name = shownWord(server.name);
  const asks = suggested !== true && yes !== true && session.terminal.interactive;
  const options = optionsFor(needs);
  const isGiven = options !== "" && (suggested === true || (asks && (await ask(session, name, needs))));
  const open = [
    ...(isGiven || options === "" ? [] : [`is known to need more than it may do here: ${options}`]),
    ...(needs.secrets.length === 0
      ? []
      : [
          `is given ${needs.secrets.join(", ")}: --env ${needs.secrets[0]}='\${secret:NAME}', after \`haft secret set NAME\``,
        ]),
    ...(needs.note === undefined ? [] : [needs.note]),
  ];
  session.warn(open.map((text) => `${name} ${text}`.replace(`${name} it `, `${name}: it `)));
  return isGiven ? withNeeds(server, needs) : server;
}

function optionsFor({ hosts, paths }: ServerNeeds): string {
  return [
    ...hosts.map((host) => `--host ${shownWord(host)}`),
    ...paths.map((path) => `--path ${shownWord(path)}`),
  ].join(" ");
}

function withNeeds(server: McpServerConfig, { hosts, paths }: ServerNeeds): McpServerConfig {
  return {
    ...server,
    ...(hosts.length > 0 && { hosts: [...(server.hosts ?? []), ...hosts] }),
    ...(paths.length > 0 && { paths: [...(server.paths ?? []), ...paths] }),
  };
}

async function ask(session: Session, name: string, { hosts, paths }: ServerNeeds): Promise<boolean> {
  const reach = hosts.length === 0 ? [] : [`reach ${hosts.map(shownWord).join(", ")}`];
  const change = paths.length === 0 ? [] : [`change files in ${paths.map(shownWord).join(", ")}`];
  return askOwner(session, `${name} is known to need this. May it ${[...reach, ...change].join(" and ")}?`);
}

/** Tools that a server calls read-only, by name, each with the fingerprint of its definition. */
type ReadOnlyTools = Readonly<Record<string, string>>;

/** Asks whether the tools that a server calls read-only may run unasked, and writes the yes into its entry. */
export async function settleTrust(
  session: Session,
  to: ServerFile,
  { server, tools }: { readonly server: McpServerConfig; readonly tools: ReadOnlyTools },
): Promise<boolean> {
  if (server.trust !== undefined || !session.terminal.interactive || session.asJson) return false;
  const names = Object.keys(tools).map(shownWord);
  if (names.length === 0) return false;
  const which = `these ${names.length} tools that ${shownWord(server.name)} calls read-only (${names.join(", ")})`;
  const says = "That is what the server says of itself; a tool that it adds or changes later asks.";
  if (!(await askOwner(session, `May ${which} run unasked? ${says}`))) return false;
  await trustReadOnly(session, to, { server, tools });
  return true;
}

/**
 * Writes into a server's entry which of its tools, in which definitions, are believed to only read. What the server
 * has not said is not believed: where `tools` are unknown, the owner is told so.
 */
export async function trustReadOnly(
  session: Session,
  to: ServerFile,
  { server, tools }: { readonly server: McpServerConfig; readonly tools: ReadOnlyTools | undefined },
): Promise<void> {
  if (tools === undefined) {
    const name = shownWord(server.name);
    session.warn([
      `which tools ${name} calls read-only is not known, since it was not reached: its calls ask; once it can be, remove it and take it in again with --trust-read-only`,
    ]);
    return;
  }
  const { addServers } = await import("../../app/index.ts");
  await addServers(to, [{ ...server, trust: { readOnly: tools } }], true);
}

/** What a server that was just written down offers; it is connected to once, and let go. */
export async function tryServer(session: Session, name: string): Promise<ServerOffer> {
  const [{ readServerOffer }, app] = await Promise.all([
    import("../../app/servers/index.ts"),
    openServers(session, [name]),
  ]);
  return readServerOffer(app, name);
}

async function askOwner(session: Session, message: string): Promise<boolean> {
  const answer = await askYes(session.terminal, message, { signal: session.signal });
  if (answer === undefined)
    throw new CliError("CLI_CANCELLED", "Stopped by Ctrl-C; nothing more was changed");
  return answer;
}
