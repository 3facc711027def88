import { type ConfiguredServer, configuredServers } from "../../../app/index.ts";
import type { ServerState } from "../../../app/servers/index.ts";
import { getErrorMessage, nearestNames } from "../../../base/index.ts";
import type { McpServerConfig } from "../../../mcp/index.ts";
import type { ServersApi, WaitingDefinition } from "../api/index.ts";
import type { ConsoleContext, Handlers } from "../route.ts";
import { badInput, changedMeanwhile, notFound, pinSchema, readInput, requireOwner } from "./input.ts";
import { beginLogin, findLoginState } from "./server-logins.ts";

const name = { type: "string", minLength: 1, maxLength: 64 } as const;
const named = {
  type: "object",
  properties: { name },
  required: ["name"],
  additionalProperties: false,
} as const;
const owned = {
  type: "object",
  properties: { name, pin: pinSchema },
  required: ["name"],
  additionalProperties: false,
} as const;
const login = { ...owned, properties: { ...owned.properties, device: { type: "boolean" } } } as const;
const acceptance = {
  type: "object",
  properties: { ...owned.properties, tool: { type: "string" }, after: { type: "string" } },
  required: ["name", "tool", "after"],
  additionalProperties: false,
} as const;
const refusal = {
  ...owned,
  properties: { ...owned.properties, tool: { type: "string" } },
  required: ["name", "tool"],
} as const;
const text = { type: "string", minLength: 1, maxLength: 500_000 } as const;
const names = { type: "array", items: name } as const;
const pasted = {
  type: "object",
  properties: { text },
  required: ["text"],
  additionalProperties: false,
} as const;
const added = {
  type: "object",
  properties: { text, names: { ...names, minItems: 1 }, withNeeds: names, pin: pinSchema },
  required: ["text", "names"],
  additionalProperties: false,
} as const;

/** The page of MCP servers: how each is and why, what it changed, and servers to add. */
export const serverHandlers: Handlers<ServersApi> = {
  "GET /servers": ({ app }) => listStates(app),

  "GET /server": async (context, { query }) => {
    const { app } = context;
    const state = await findState(context, query.get("name") ?? "");
    const found = await findConfigured(context, state.server);
    const [views, logins] = await Promise.all([import("../../../app/servers/index.ts"), app.logins()]);
    const offer = await views.readServerOffer(app, state.server);
    const report = app.sources.mcp?.report(state.server);
    const used = found !== undefined && found.state === "enabled" ? [found] : [];
    const waiting = await views.listWaitingTools(app, used);
    const server = await views.findUsedServer(app, state.server);
    return {
      state,
      server: found && views.shownServer(found.server),
      place: found?.place,
      triedAt: report?.triedAt,
      stderr: report?.stderr ?? "",
      tools: offer.tools,
      tokens: offer.tokens,
      waiting: waiting.map(
        ({ tool, before, after }): WaitingDefinition => ({
          tool,
          isNew: before === undefined,
          after,
          diff: views.diffDefinitions(before, after).map((line) => line ?? null),
        }),
      ),
      login: server?.url === undefined ? undefined : await logins.info(server),
      loginState: findLoginState(app, state.server),
      command: `haft mcp status ${state.server}`,
    };
  },

  "POST /server/restart": async (context, request) => {
    const body = await readInput(named, request);
    const { server } = await findState(context, body.name);
    // What it failed with is in its state.
    await requireConnected(context, server)
      .reconnect(server)
      .catch(() => undefined);
    return findState(context, server);
  },

  "POST /server/test": async (context, request) => {
    const body = await readInput(named, request);
    const { server } = await findState(context, body.name);
    const connections = requireConnected(context, server);
    const since = performance.now();
    const error = await connections.refresh(server, request.signal).then(
      () => undefined,
      (thrown: unknown) => getErrorMessage(thrown),
    );
    const ms = Math.round(performance.now() - since);
    return { ok: error === undefined, ms, ...(error !== undefined && { error }) };
  },

  "POST /server/accept": async (context, request) => {
    const { tool, after, pin, ...body } = await readInput(acceptance, request);
    const { app, by } = context;
    const { acceptTool } = await import("../../../app/servers/index.ts");
    const { one } = await findWaiting(context, body.name, tool);
    await requireOwner(context, pin);
    if (one.after !== after || !(await acceptTool(app, one, by))) throw changedMeanwhile(`"${tool}"`);
    await app.sources.mcp?.refresh(body.name, request.signal).catch(() => undefined);
    return { accepted: true };
  },

  "POST /server/refuse": async (context, request) => {
    const { tool, pin, ...body } = await readInput(refusal, request);
    const { refuseTool } = await import("../../../app/servers/index.ts");
    const { found } = await findWaiting(context, body.name, tool);
    await requireOwner(context, pin);
    const { file } = await refuseTool(context.app, found, tool);
    return { file };
  },

  "POST /server/login": async (context, request) => {
    const { device = false, pin, ...body } = await readInput(login, request);
    const server = await requireWebServer(context, body.name);
    await requireOwner(context, pin);
    return beginLogin(context.app, server, device);
  },

  "POST /server/logout": async (context, request) => {
    const { pin, ...body } = await readInput(owned, request);
    const server = await requireWebServer(context, body.name);
    await requireOwner(context, pin);
    const done = await (await context.app.logins()).logOut(server);
    return { loggedOut: done !== undefined, revoked: done?.revoked ?? false };
  },

  "POST /servers/read": async ({ app }, request) => {
    const body = await readInput(pasted, request);
    const { offerPastedServers } = await import("../../../app/servers/index.ts");
    return (await offerPastedServers(app, body.text)) ?? noServers();
  },

  "POST /servers/add": async (context, request) => {
    const { text: given, names: chosen, withNeeds, pin } = await readInput(added, request);
    const { addPastedServers, offerPastedServers } = await import("../../../app/servers/index.ts");
    const offered = (await offerPastedServers(context.app, given)) ?? noServers();
    const taken = offered.servers.find(({ server, isTaken }) => isTaken && chosen.includes(server.name));
    if (taken !== undefined)
      throw badInput(`the file has a server "${taken.server.name}"; \`haft mcp remove\` it first`);
    await requireOwner(context, pin);
    const done = await addPastedServers(context.app, given, {
      names: chosen,
      ...(withNeeds !== undefined && { withNeeds }),
    });
    if (done === undefined) throw badInput("a name is not one of a server in the text");
    return done;
  },
};

function noServers(): never {
  throw badInput("no MCP server is in the text; paste JSON as a client's configuration has it");
}

async function listStates(app: ConsoleContext["app"]): Promise<readonly ServerState[]> {
  const { describeServers } = await import("../../../app/servers/index.ts");
  return describeServers(app, await configuredServers(app.home, app.folder));
}

async function findState({ app }: ConsoleContext, wanted: string): Promise<ServerState> {
  const states = await listStates(app);
  const found = states.find(({ server }) => server === wanted);
  if (found !== undefined) return found;
  const near = nearestNames(
    wanted,
    states.map(({ server }) => server),
  );
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}` : "`haft mcp list` lists them";
  throw notFound("the MCP server", wanted, hint);
}

async function findConfigured(
  { app }: ConsoleContext,
  wanted: string,
): Promise<ConfiguredServer | undefined> {
  const { servers } = await configuredServers(app.home, app.folder);
  const own = servers.filter(({ server }) => server.name === wanted);
  return own.find(({ state }) => state === "enabled") ?? own[0];
}

/** Finds a definition that waits, and its server. */
async function findWaiting(context: ConsoleContext, server: string, tool: string) {
  const found = await findConfigured(context, (await findState(context, server)).server);
  const { listWaitingTools } = await import("../../../app/servers/index.ts");
  const waiting = found === undefined ? [] : await listWaitingTools(context.app, [found]);
  const one = waiting.find((other) => other.tool === tool);
  if (found !== undefined && one !== undefined) return { found, one };
  throw notFound("a definition that waits, of the tool", tool, "reload the page");
}

function requireConnected({ app }: ConsoleContext, wanted: string) {
  const { mcp } = app.sources;
  if (mcp?.report(wanted) !== undefined) return mcp;
  throw badInput(`"${wanted}" is not connected to; its state says why`);
}

async function requireWebServer({ app }: ConsoleContext, wanted: string): Promise<McpServerConfig> {
  const { findUsedServer } = await import("../../../app/servers/index.ts");
  const server = await findUsedServer(app, wanted);
  if (server === undefined) throw notFound("an MCP server in use", wanted, "`haft mcp list` lists them");
  if (server.url === undefined) throw badInput(`"${wanted}" is a program, and nobody logs in to it`);
  return server;
}
