import type { App, ConfiguredServer } from "../../../app/index.ts";
import { acceptTool, listWaitingTools, refuseTool, type WaitingTool } from "../../../app/servers/index.ts";
import { parseJson } from "../../../base/index.ts";
import { askYes } from "../../asking/ask-yes.ts";
import { ownerIdentity } from "../../asking/owner-identity.ts";
import { refuseAgents, requirePin } from "../../asking/owner-only.ts";
import { CliError } from "../../errors.ts";
import { exitCodes } from "../../exit-codes.ts";
import { openServers } from "../../mcp/open-servers.ts";
import { unknownServer } from "../../mcp/unknown-server.ts";
import type { Session } from "../../session.ts";
import { shownWord } from "../../text/mcp-server.ts";

export interface ReviewOptions {
  readonly accept?: readonly string[];
  readonly acceptAll?: boolean;
  readonly refuse?: readonly string[];
}

/** `haft mcp review`: shows what waits, and accepts what its owner says yes to, as it was shown. */
export async function review(
  session: Session,
  name: string | undefined,
  options: ReviewOptions,
): Promise<void> {
  const { terminal } = session;
  if (options.accept !== undefined || options.acceptAll === true || options.refuse !== undefined)
    await refuseAgents("accept or refuse what a server changed");
  const servers = await reviewed(session, name);
  const app = await openServers(
    session,
    servers.map(({ server }) => server.name),
  );
  tellOfAbsent(session, app);
  const waiting = await listWaitingTools(app, servers);
  refuseUnknown(waiting, name, options);
  const refused = await refuseNamed(session, app, waiting, { servers, tools: options.refuse ?? [] });
  const shown = waiting.filter((one) => !refused.has(one));
  const accepted = await acceptShown(session, app, shown, options);
  const left = shown.filter((one) => !accepted.has(one));
  if (left.length > 0) session.exitCode = exitCodes.failed;
  if (session.asJson) {
    terminal.json(
      waiting.map((one) => ({
        server: one.server,
        tool: one.tool,
        ...(one.before !== undefined && { before: parseJson(one.before) }),
        after: parseJson(one.after),
        accepted: accepted.has(one),
        refused: refused.has(one),
      })),
    );
  } else if (waiting.length === 0) terminal.err("Nothing waits: every definition is as it was accepted\n");
  else if (left.length > 0 && !(await mayAsk(session, options))) {
    terminal.err(
      `${left.length} ${left.length === 1 ? "waits" : "wait"}; accept with \`haft mcp review SERVER --accept TOOL\` or --accept-all, refuse with --refuse TOOL\n`,
    );
  }
}

/** The servers that are looked at: those whose tools could be used. */
async function reviewed(session: Session, name: string | undefined): Promise<readonly ConfiguredServer[]> {
  const { configuredServers } = await import("../../../app/index.ts");
  const { servers } = await configuredServers(await session.home(), session.folder());
  const used = servers.filter(({ state }) => state === "enabled");
  if (name === undefined) return used;
  const found = used.filter(({ server }) => server.name === name);
  if (found.length > 0) return found;
  const other = servers.find(({ server }) => server.name === name);
  if (other === undefined) {
    const names = servers.map(({ server }) => server.name);
    throw unknownServer(name, names, "review");
  }
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot review the MCP server "${name}": it is ${other.state}, and none of its tools is used; \`haft mcp list\` shows it`,
  );
}

function tellOfAbsent(session: Session, app: App): void {
  const away = (app.sources.mcp?.health() ?? []).filter(({ status }) => status !== "ready");
  session.warn(
    away.map(
      ({ server, reason }) =>
        `${shownWord(server)} can't be asked now, and what it offered last is shown: ${reason ?? "it does not answer"}`,
    ),
  );
}

function refuseUnknown(
  waiting: readonly WaitingTool[],
  name: string | undefined,
  { accept = [], acceptAll, refuse = [] }: ReviewOptions,
): void {
  if (refuse.length > 0 && (name === undefined || acceptAll === true)) {
    throw new CliError(
      "CLI_USAGE",
      "Cannot refuse: --refuse needs the name of the server before it, and no --accept-all, as in `haft mcp review SERVER --refuse TOOL`",
    );
  }
  const both = accept.find((tool) => refuse.includes(tool));
  if (both !== undefined)
    throw new CliError("CLI_USAGE", `Cannot accept and refuse ${shownWord(both)}: choose one`);
  if (accept.length > 0 && (name === undefined || acceptAll === true)) {
    throw new CliError(
      "CLI_USAGE",
      "Cannot accept: --accept needs the name of the server before it, and no --accept-all, as in `haft mcp review SERVER --accept TOOL`",
    );
  }
  const unknown = [...accept, ...refuse].filter((tool) => !waiting.some((one) => one.tool === tool));
  if (unknown.length === 0) return;
  const names = waiting.map(({ tool }) => shownWord(tool)).join(", ");
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot ${accept.includes(unknown[0] ?? "") ? "accept" : "refuse"} ${unknown.map((tool) => `"${tool}"`).join(", ")}: nothing of that name waits; ${names === "" ? "nothing does" : `what waits is ${names}`}`,
  );
}

/** Refuses the tools of these names, without a question. */
async function refuseNamed(
  session: Session,
  app: App,
  waiting: readonly WaitingTool[],
  { servers, tools }: { readonly servers: readonly ConfiguredServer[]; readonly tools: readonly string[] },
): Promise<ReadonlySet<WaitingTool>> {
  const named = waiting.filter(({ tool }) => tools.includes(tool));
  const refused = new Set<WaitingTool>();
  if (named.length > 0) await requirePin(session, "refuse what a server changed");
  for (const one of named) {
    const from = servers.find(({ server }) => server.name === one.server);
    if (from === undefined) continue;
    const { file } = await refuseTool(app, from, one.tool);
    refused.add(one);
    if (!session.asJson)
      session.terminal.out(
        `${shownWord(one.tool)} of ${shownWord(one.server)} is refused: it is on deny in ${file}\n`,
      );
  }
  return refused;
}

/** One after another, so that each yes is to what stands right above it. */
async function acceptShown(
  session: Session,
  app: App,
  waiting: readonly WaitingTool[],
  options: ReviewOptions,
): Promise<ReadonlySet<WaitingTool>> {
  const { renderWaiting } = await import("../../text/mcp-review.ts");
  const { terminal } = session;
  const asks = await mayAsk(session, options);
  const accepts = asks || options.accept !== undefined || options.acceptAll === true;
  if (accepts && waiting.length > 0) await requirePin(session, "accept what a server changed");
  const accepted = new Set<WaitingTool>();
  for (const one of waiting) {
    if (!session.asJson) terminal.out(renderWaiting(one, terminal));
    const isNamed = options.acceptAll === true || (options.accept ?? []).includes(one.tool);
    if (!isNamed && !(asks && (await ask(session, one)))) continue;
    if (await acceptTool(app, one, ownerIdentity())) {
      accepted.add(one);
      if (!session.asJson) terminal.out(`${shownWord(one.tool)} of ${shownWord(one.server)} is accepted\n`);
    } else session.warn([`${one.tool} was changed again while you looked, and is not accepted; look again`]);
  }
  return accepted;
}

async function mayAsk(session: Session, { accept, acceptAll, refuse }: ReviewOptions): Promise<boolean> {
  if (
    accept !== undefined ||
    acceptAll === true ||
    refuse !== undefined ||
    session.asJson ||
    !session.terminal.interactive
  )
    return false;
  const { findAgentTrace, isStartedByTool } = await import("../../../host/index.ts");
  return !isStartedByTool() && findAgentTrace() === undefined;
}

async function ask(session: Session, { tool, server, before }: WaitingTool): Promise<boolean> {
  const message = `Accept ${shownWord(tool)} of ${shownWord(server)} as it is${before === undefined ? "" : " now"}?`;
  const answer = await askYes(session.terminal, message, { signal: session.signal });
  if (answer === undefined)
    throw new CliError("CLI_CANCELLED", "Stopped by Ctrl-C; what you said yes to before is accepted");
  return answer;
}
