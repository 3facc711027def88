import { join } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import type { App } from "../../app/index.ts";
import { type Endpoint, listClientConfigs } from "../client-config.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { isOwnerRequest, type OwnerEndpoint, ownerPath } from "../owner/owner-endpoint.ts";
import { modeOverride } from "../mode-option.ts";
import { type Overrides, overridesOf } from "../overrides.ts";
import { profileOverride } from "../profile-option.ts";
import { servePort } from "../serve-port.ts";
import type { Session } from "../session.ts";

interface ServeOptions extends Overrides {
  readonly port?: number;
  readonly host: string;
  readonly printConfig?: string | true;
}

const path = "/mcp";

export function defineServe(command: Command, session: Session): void {
  command
    .option("--port <n>", "0 takes any free one (default: the configuration's, or 4280)", toPort)
    .option(
      "--host <address>",
      "the address to listen on; another than this opens haft to the network",
      "127.0.0.1",
    )
    .addOption(profileOverride())
    .addOption(modeOverride())
    .option("--print-config [client]", "print what clients need, all or one of them, and leave")
    .action(async (options: ServeOptions) => {
      // Made before the tools are, so that none of them ever shows it.
      const home = await session.home();
      home.token();
      home.ownerToken();
      home.stateKey();
      const app = await session.openApp(overridesOf(options));
      session.warn(app.loaded.warnings);
      if (options.printConfig === undefined) await serve(session, app, options);
      else await printConfig(session, app, options, options.printConfig);
    });
  addExamples(command, [
    ["haft serve", "listen on http://127.0.0.1:4280/mcp, for this folder"],
    ["haft serve --folder ~/project --port 0", "another folder, any free port"],
    ["haft serve --print-config cursor", "what Cursor's mcp.json needs"],
  ]);
  command.addHelpText(
    "after",
    "\nClients need the bearer token that the first start makes, in haft's own folder.\nWho has it may do what the rules allow: treat it as a password.\nQuestions are answered with `haft approvals`, or at /approvals with the other token there, owner-token.\nWith --verbose each call is a line on standard error.",
  );
}

async function serve(session: Session, app: App, options: ServeOptions): Promise<void> {
  const [{ openListener }, { createHttpHandler }, { createOffer }, { createOwnerHandler }] =
    await Promise.all([
      import("../../host/index.ts"),
      import("../../mcp/index.ts"),
      import("../offer.ts"),
      import("../owner/owner-http.ts"),
    ]);
  // A store that can't be opened is told of now, not at the first call.
  const store = await app.store();
  const token = app.home.token();
  const server = createOffer(app, session);
  // The listener has checked Host and Origin before a handler sees a request.
  const mcp = createHttpHandler(server, { token, path, hosts: "any" });
  const owner = createOwnerHandler({ approvals: store.approvals, token: app.home.ownerToken() });
  const listener = await openListener({
    host: options.host,
    port: portOf(app, options),
    handler: (request, response) => (isOwnerRequest(request) ? owner : mcp)(request, response),
  });
  try {
    const endpoint = endpointOf(session, app, `${listener.url}${path}`, token);
    const approvals = {
      url: `${listener.url}${ownerPath}`,
      tokenFile: join(app.home.folder, "owner-token"),
    };
    await announce(session, app, endpoint, approvals);
    if (session.common.verbose === true) showCalls(session, app);
    if (!isLoopback(options.host)) {
      session.warn([
        `haft listens on ${options.host}: everybody who can reach it and has the token may call its tools`,
      ]);
    }
    await store.warm();
    await untilAborted(session.signal);
  } finally {
    mcp.close();
    server.close();
    await listener.close();
  }
}

async function announce(
  session: Session,
  app: App,
  endpoint: Endpoint,
  approvals: OwnerEndpoint,
): Promise<void> {
  const { terminal } = session;
  if (session.asJson) {
    terminal.jsonLine({
      event: "listening",
      url: endpoint.url,
      tokenFile: endpoint.tokenFile,
      folder: app.folder,
      mode: app.mode,
      approvals,
      tools: app.registry.getStats().byCategory,
      warnings: app.loaded.warnings,
    });
    return;
  }
  const { renderListening } = await import("../serve-text.ts");
  terminal.out(renderListening(app, { endpoint, approvals, version: session.version }, terminal));
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
  const host = options.host === "0.0.0.0" ? "127.0.0.1" : options.host;
  const port = portOf(app, options);
  if (port === 0) {
    throw new CliError(
      "CLI_USAGE",
      "Cannot print the configuration for --port 0: the port is not known before it listens; name one",
    );
  }
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}${path}`;
  const configs = listClientConfigs(endpointOf(session, app, url, app.home.token()));
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
    const { renderClientConfigs } = await import("../serve-text.ts");
    session.terminal.out(renderClientConfigs(chosen, session.terminal));
  }
}

function endpointOf(session: Session, app: App, url: string, token: string): Endpoint {
  const home = session.namesHome ? ["--home", app.home.folder] : [];
  return {
    url,
    tokenFile: join(app.home.folder, "token"),
    // On a screen it can be copied; a log is no place for it.
    token: session.terminal.streams.stdout.isTTY === true ? token : undefined,
    command: [...session.program, "mcp", "--folder", app.folder, ...home],
  };
}

function portOf(app: App, options: ServeOptions): number {
  return options.port ?? servePort(app);
}

function toPort(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isInteger(value) && value >= 0 && value <= 65_535) return value;
  throw new InvalidArgumentError("give a whole number from 0 to 65535.");
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
