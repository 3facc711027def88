import { realpathSync } from "node:fs";
import { join } from "node:path";
import { Argument, type Command, Option } from "commander";
import type { App, ClientView, Expose } from "../../app/index.ts";
import { mcpPath, type OpenedProject, type StartedServing, startServing } from "../../server/index.ts";
import { type ChooseServer, createAppServer, type McpServer } from "../../server/mcp/index.ts";
import { listClientConfigs } from "../clients/config.ts";
import type { Endpoint } from "../clients/form.ts";
import { clientNames } from "../clients/name.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { mcpCommand, typedName } from "../mcp/command.ts";
import { findNoProject, type NoProject } from "../no-project.ts";
import { agentOption, checkAgent } from "../options/agent.ts";
import { exposeOption } from "../options/expose.ts";
import { goalOption } from "../options/goal.ts";
import { modeOverride } from "../options/mode.ts";
import { type Overrides, pickOverrides } from "../options/overrides.ts";
import { toPort } from "../options/port.ts";
import { profileOverride } from "../options/profile.ts";
import { servePort } from "../serve-port.ts";
import type { Session } from "../session.ts";
import type { ConsoleNews, Listening } from "../text/serve.ts";
import { renderService, type ServiceManager, serviceManagers } from "../text/service.ts";
import { tuneHeap } from "../tune-heap.ts";

interface ServeOptions extends Overrides {
  readonly expose?: Expose;
  readonly goal?: string;
  readonly port?: number;
  readonly host: string;
  readonly printConfig?: string | true;
  readonly bridge?: boolean;
  readonly operator?: boolean;
  readonly detach?: boolean;
  readonly printService?: ServiceManager;
}

export function defineServe(command: Command, session: Session): void {
  command
    .addArgument(
      new Argument(
        "[action]",
        "status lists the running servers, stop ends one (default: none, serve)",
      ).choices(["status", "stop"]),
    )
    .option("--port <n>", "0 takes any free one (default: $PORT, the configuration's, or 4280)", toPort)
    .option(
      "--host <address>",
      "the address to listen on; another than this opens haft to the network",
      "127.0.0.1",
    )
    .addOption(profileOverride())
    .addOption(modeOverride())
    .addOption(
      agentOption("the agent that clients call for: its lists of tools bind, and no others are shown"),
    )
    .addOption(exposeOption())
    .addOption(goalOption())
    .option(
      "--bridge",
      "let host programs connect that `haft bridge` pairs: a page in your browser, a desktop program",
    )
    .option("--operator", "take calls of a program that runs agents on a socket of this machine, too")
    .option("--print-config [client]", "print what clients need, all or one of them, and leave")
    .option("--detach", "serve in the background, and leave once it listens")
    .addOption(
      new Option(
        "--print-service <manager>",
        "print a service that starts it with your session, and leave",
      ).choices(serviceManagers),
    )
    .action(async (action: "status" | "stop" | undefined, options: ServeOptions) => {
      if (await control(session, action, options)) return;
      // Made before the tools are, so that none of them ever shows it.
      const home = await session.home();
      home.token();
      home.ownerToken();
      home.stateKey();
      if (options.printConfig !== undefined) {
        const app = await session.openApp(pickOverrides(options));
        session.warn(app.loaded.warnings);
        return printConfig(session, app, options, options.printConfig);
      }
      const noProject = findNoProject(session, home, "serve");
      const app = await session.openApp({
        ...pickOverrides(options),
        sources: "follow",
        ...(noProject !== undefined && { folder: noProject.folder }),
      });
      session.warn([...(noProject === undefined ? [] : [noProject.why]), ...app.loaded.warnings]);
      await serve(session, app, options, noProject);
    });
  addExamples(command, [
    ["haft serve", "listen on http://127.0.0.1:4280/mcp, for this folder"],
    ["haft serve --folder ~/project --port 0", "another folder, any free port"],
    ["haft serve --print-config cursor", "what Cursor's mcp.json needs"],
    ["haft serve --detach", "serve in the background; `haft serve status` lists, `haft serve stop` ends"],
    [
      "haft serve --print-service systemd > ~/.config/systemd/user/haft.service",
      "start it with your session",
    ],
    ["haft serve --expose lean", "list a dozen tools, and let the others be searched for"],
    ['haft serve --goal "triage issues"', "list those and the packs near that goal"],
  ]);
  command.addHelpText(
    "after",
    "\nClients need the bearer token that the first start makes, in haft's own folder.\nWho has it may do what the rules allow: treat it as a password.\nA client of serve.clients in the configuration has its own list of tools, at /mcp/NAME.\nAnother folder, named with `haft trust FOLDER --as NAME`, is at /mcp/@NAME; all the others work in this one.\nQuestions are answered with `haft approvals`, or at /approvals with the other token there, owner-token.\nWith --verbose each call is a line on standard error.",
  );
}

/** What needs no server in this process. False where one is to be started. */
async function control(
  session: Session,
  action: "status" | "stop" | undefined,
  { port, detach, printService }: ServeOptions,
): Promise<boolean> {
  const {
    detach: startDetached,
    serveProgram,
    showServing,
    stopServing,
  } = await import("../serve-control.ts");
  const home = await session.home();
  if (action === "status") await showServing(session);
  else if (action === "stop") await stopServing(session, port);
  else if (printService !== undefined) {
    const service = { command: serveProgram(session, home.folder), folder: session.folder() };
    session.terminal.out(renderService(printService, service));
  } else if (detach === true) await startDetached(session);
  else return false;
  return true;
}

async function serve(
  session: Session,
  app: App,
  options: ServeOptions,
  noProject: NoProject | undefined,
): Promise<void> {
  const [{ boundOwnLog, isLoopbackHost, tellStarter }, { serveLog }] = await Promise.all([
    import("../../host/index.ts"),
    import("../../server/running/index.ts"),
  ]);
  const cutOwnLog = boundOwnLog(serveLog(app.home));
  if (cutOwnLog !== undefined) session.terminal.afterWrite(cutOwnLog);
  // A store that can't be opened is told of now, not at the first call.
  const store = await app.store();
  const views = await openViews(app, options);
  const { bridge = false, operator = false, host } = options;
  tuneHeap();
  const serving = await startServing(app, {
    host,
    port: options.port ?? servePort(app),
    createServers: (chooseServer) => makeServers(session, app, views, { chooseServer, noProject }),
    openProject: (folder) => openProject(session, app, folder, options),
    folder: noProject === undefined ? app.folder : session.folder(),
    bridge,
    operator,
    version: session.version,
    onError: (error) => session.note(error),
  });
  try {
    const { url, approvalsUrl, socket } = serving;
    await announce(session, app, {
      endpoint: toEndpoint(session, app, { url, token: app.home.token(), options }),
      approvals: { url: approvalsUrl, tokenFile: join(app.home.folder, "owner-token") },
      views,
      bridge,
      socket,
      console: await describeConsole(session, serving),
      version: session.version,
      noProject,
    });
    tellStarter();
    warnOfOwnFolder(session, app);
    if (session.common.verbose === true) showCalls(session, app);
    if (!isLoopbackHost(host)) {
      session.warn([
        `haft listens on ${host}: everybody who can reach it and has the token may call its tools`,
        "The console is off: it is served on this machine alone; start `haft serve` without --host for it",
      ]);
    }
    app.background.start([app.context, ...Array.from(views.values(), ({ bounds }) => bounds)]);
    await store.warm();
    await untilAborted(session.signal);
  } finally {
    await serving.close();
  }
}

/**
 * Describes how to open the console. Whoever has the link can open it, so it is shown only to a person at a terminal: not
 * in a log, and not to an agent.
 */
async function describeConsole(
  session: Session,
  { openConsole }: StartedServing,
): Promise<ConsoleNews | undefined> {
  if (openConsole === undefined) return undefined;
  if (session.asJson || session.terminal.streams.stdout.isTTY !== true) return {};
  const { findAgentTrace, isStartedByTool } = await import("../../host/index.ts");
  if (isStartedByTool() || findAgentTrace() !== undefined) return {};
  return { link: (await openConsole()).url };
}

/** The servers by the path at which each is reached. */
function makeServers(
  session: Session,
  app: App,
  views: ReadonlyMap<string, ClientView>,
  { chooseServer, noProject }: { chooseServer: ChooseServer; noProject: NoProject | undefined },
): ReadonlyMap<string, McpServer> {
  return new Map(
    // A client of serve.clients has bounds of its own, which no other project knows.
    Array.from(views, ([at, view]) => [
      at,
      createAppServer(app, view, {
        version: session.version,
        onError: (error) => session.note(error),
        noProject: noProject?.why,
        ...(at === mcpPath && { chooseServer }),
      }),
    ]),
  );
}

/** The installation of another folder, for the clients that ask for it by its name. */
async function openProject(
  session: Session,
  { home }: App,
  folder: string,
  options: ServeOptions,
): Promise<OpenedProject> {
  const { createApp } = await import("../../app/index.ts");
  const onError = (error: unknown) => session.note(error);
  const app = await createApp({ folder, home, onError, sources: "follow", ...pickOverrides(options) });
  session.warn(app.loaded.warnings);
  const view = await app.viewForGoal(options.goal, { expose: options.expose });
  app.background.start([view.bounds]);
  return { app, server: createAppServer(app, view, { version: session.version, onError }) };
}

/** Who starts haft in its own folder seldom means to work there. */
function warnOfOwnFolder(session: Session, { folder }: App): void {
  if (session.common.folder !== undefined || folder !== realpathSync(session.root)) return;
  session.warn([
    `haft works in its own folder, ${folder}, since none was named: clients without a project of their own read and change files there; name one with --folder (\`npm start -- --folder ~/project\`), or several with \`haft trust FOLDER --as NAME\``,
  ]);
}

/** What each client sees, by the path at which it asks: everybody's first. */
async function openViews(app: App, options: ServeOptions): Promise<ReadonlyMap<string, ClientView>> {
  const { agent, expose, goal } = options;
  await checkAgent(app, agent);
  const views = new Map([[mcpPath, await app.viewForGoal(goal, { expose })]]);
  for (const name of clientNames(app)) {
    const written = app.loaded.config.serve?.clients?.[name]?.goal;
    const view = await app.viewForGoal(written ?? goal, { name, otherwise: expose });
    await checkAgent(app, view.bounds.agentId, `serve.clients.${name}.agent`);
    views.set(toPath(name), view);
  }
  return views;
}

function toPath(client: string): string {
  return `${mcpPath}/${client}`;
}

async function announce(
  session: Session,
  app: App,
  listened: Omit<Listening, "isolation" | "typed">,
): Promise<void> {
  const { terminal } = session;
  const { endpoint, approvals, views, socket, console, noProject } = listened;
  // What is said of the tools is said of those in files too; servers may take longer.
  const [isolation] = await Promise.all([app.sandbox.report(), app.sources.ready()]);
  if (session.asJson) {
    terminal.jsonLine({
      event: "listening",
      url: endpoint.url,
      tokenFile: endpoint.tokenFile,
      folder: noProject === undefined ? app.folder : null,
      mode: app.mode,
      isolation: isolation.level,
      approvals,
      ...(socket !== undefined && { operatorSocket: socket }),
      ...(console !== undefined && { consoleUrl: new URL("/console/", endpoint.url).href }),
      tools: app.registry.getStats().byCategory,
      clients: Object.fromEntries(
        Array.from(views, ([at, view]) => [at, { ...view.exposed(), selected: view.selected }]),
      ),
      warnings: [...(noProject === undefined ? [] : [noProject.why]), ...app.loaded.warnings],
    });
    return;
  }
  const { renderListening } = await import("../text/serve.ts");
  terminal.out(renderListening(app, { ...listened, isolation, typed: typedName(session.program) }, terminal));
}

/** A line for each call that ends. */
function showCalls({ terminal }: Session, app: App): void {
  app.executor.events.on((event) => {
    if (event.type !== "tool.completed" && event.type !== "tool.failed") return;
    const { result } = event;
    const outcome = result.success ? "ok" : result.code;
    terminal.err(
      `${result.callId}  ${terminal.foreignError(event.toolName)}  ${outcome}  ${Math.round(result.durationMs)} ms\n`,
    );
  });
}

async function printConfig(
  session: Session,
  app: App,
  options: ServeOptions,
  wanted: string | true,
): Promise<void> {
  const port = options.port ?? servePort(app);
  if (port === 0) {
    throw new CliError(
      "CLI_USAGE",
      "Cannot print the configuration for --port 0: the port is not known before it listens; name one",
    );
  }
  const { toHttpOrigin } = await import("../../host/index.ts");
  const origin = toHttpOrigin(options.host, port);
  const token = app.home.token();
  const endpoint = toEndpoint(session, app, { url: `${origin}${mcpPath}`, token, options });
  const own = new Map(
    clientNames(app).map((client) => [
      client,
      toEndpoint(session, app, { url: `${origin}${toPath(client)}`, token, options, client }),
    ]),
  );
  const configs = await listClientConfigs(endpoint, own);
  const chosen = wanted === true ? configs : configs.filter(({ id }) => id === wanted);
  if (chosen.length === 0) {
    const ids = configs.map(({ id }) => id).join(", ");
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot print the configuration of "${String(wanted)}"; there are ${ids}`,
    );
  }
  if (session.asJson) session.terminal.json(chosen);
  else {
    const { renderClientConfigs } = await import("../text/serve.ts");
    session.terminal.out(renderClientConfigs(chosen, session.terminal));
  }
}

interface Address {
  readonly url: string;
  readonly token: string;
  readonly options: ServeOptions;
  /** One of serve.clients. */
  readonly client?: string;
}

function toEndpoint(session: Session, app: App, { url, token, options, client }: Address): Endpoint {
  const { agentId } = app.context;
  const agent = agentId === undefined ? [] : ["--agent", agentId];
  const { expose } = options;
  const shown =
    client !== undefined ? ["--client", client] : expose !== undefined ? ["--expose", expose] : [];
  return {
    url,
    tokenFile: join(app.home.folder, "token"),
    // On a screen it can be copied; a log is no place for it.
    token: session.terminal.streams.stdout.isTTY === true ? token : undefined,
    command: [...mcpCommand(session, app.home, app.folder), ...agent, ...shown],
    folder: app.folder,
  };
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
