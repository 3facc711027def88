import { randomBytes } from "node:crypto";
import { Readable, Writable } from "node:stream";
import {
  type AgentConnection,
  type AgentContext,
  agent,
  type LoadSessionRequest,
  type NewSessionRequest,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
  type SessionModeState,
} from "@agentclientprotocol/sdk";
import type { App } from "../../app/index.ts";
import { getErrorCode, getErrorMessage } from "../../base/index.ts";
import { modes } from "../../kernel/index.ts";
import type { Session } from "../../modules/sessions/index.ts";
import { AcpSession, channel } from "./acp-session.ts";
import type { AcpOptions } from "./options.ts";
import { listResources, toParts } from "./prompt.ts";

/** The streams of one client's messages and of the answers. */
export interface AcpStreams {
  readonly input: Readable;
  readonly output: Writable;
}

const modeTexts: Readonly<Record<(typeof modes)[number], string>> = {
  plan: "Only looks",
  ask: "The rules as they are",
  auto: "What has no known risk and can be undone runs in the sandbox unasked",
  locked: "Asks nobody",
};
const mostListed = 100;

/**
 * Serves haft's agent to one client of the Agent Client Protocol. Once the connection ends, what runs is interrupted.
 * The promise resolves when it has ended.
 */
export async function serveAcp({ input, output }: AcpStreams, options: AcpOptions): Promise<void> {
  // Node's own type of the bytes is wider than that of the web's streams.
  const bytes = Readable.toWeb(input) as ReadableStream<Uint8Array>;
  const sessions = new AcpSessions(options);
  const connection: AgentConnection = agent({ name: "haft" })
    .onRequest("initialize", () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {} },
      },
      agentInfo: { name: "haft", title: "haft", version: options.version },
      authMethods: [],
    }))
    .onRequest("authenticate", () => ({}))
    .onRequest("session/new", ({ params, client }) => sessions.begin(params, client))
    .onRequest("session/load", ({ params, client }) => sessions.load(params, client))
    .onRequest("session/list", async ({ params }) => ({
      sessions: await sessions.list(params.cwd ?? undefined),
    }))
    .onRequest("session/prompt", ({ params }) => {
      const parts = toParts(params.prompt);
      if (parts === undefined || parts.length === 0)
        throw RequestError.invalidParams(
          undefined,
          "the prompt must be of texts, pictures, resources and links",
        );
      return sessions.get(params.sessionId).prompt(parts, listResources(params.prompt));
    })
    .onRequest("session/set_mode", ({ params }) => {
      const mode = modes.find((one) => one === params.modeId);
      if (mode === undefined)
        throw RequestError.invalidParams(undefined, `there are the modes ${modes.join(", ")}`);
      sessions.get(params.sessionId).mode = mode;
      return {};
    })
    .onNotification("session/cancel", ({ params }) => sessions.find(params.sessionId)?.cancel())
    .connect(ndJsonStream(Writable.toWeb(output), bytes));
  await connection.closed;
  await sessions.close();
}

/** The sessions of one connection. */
class AcpSessions {
  readonly #options: AcpOptions;
  readonly #open = new Map<string, AcpSession>();

  constructor(options: AcpOptions) {
    this.#options = options;
  }

  find(id: string): AcpSession | undefined {
    return this.#open.get(id);
  }

  /** @throws {RequestError} */
  get(id: string): AcpSession {
    const session = this.#open.get(id);
    if (session === undefined) throw RequestError.sessionNotFound(id);
    return session;
  }

  async begin(
    { cwd, mcpServers }: NewSessionRequest,
    client: AgentContext,
  ): Promise<{ sessionId: string; modes: SessionModeState }> {
    const id = randomBytes(12).toString("hex");
    const session = new AcpSession(await this.#openFolder(cwd), this.#options, { id, client });
    this.#noteServers(mcpServers);
    this.#open.set(id, session);
    return { sessionId: id, modes: listModes(session) };
  }

  async load(
    { sessionId: id, cwd, mcpServers }: LoadSessionRequest,
    client: AgentContext,
  ): Promise<{ modes: SessionModeState }> {
    const app = await this.#openFolder(cwd);
    const { sessions } = await app.store();
    const [stored] = await sessions.list({ scope: readScope(app), channel, address: id, limit: 1 });
    if (stored === undefined) throw RequestError.sessionNotFound(id);
    const folder = await this.#findFolder(app, stored);
    if (folder !== undefined && folder !== app.folder)
      throw RequestError.invalidParams(undefined, `the session works in ${folder}; open it there`);
    this.#noteServers(mcpServers);
    await this.#open.get(id)?.close();
    const session = new AcpSession(app, this.#options, { id, client, stored });
    this.#open.set(id, session);
    await session.replay();
    return { modes: listModes(session) };
  }

  async list(cwd: string | undefined): Promise<SessionInfo[]> {
    const app = await this.#openFolder(cwd ?? process.cwd());
    const { sessions } = await app.store();
    const found = await sessions.list({ scope: readScope(app), channel, limit: mostListed });
    const listed = await Promise.all(
      found.map(async (session): Promise<SessionInfo[]> => {
        const folder = await this.#findFolder(app, session);
        if (folder === undefined || (cwd !== undefined && folder !== app.folder)) return [];
        const { address: sessionId, title, changedAt } = session;
        const updatedAt = new Date(changedAt).toISOString();
        return [{ sessionId, cwd: folder, updatedAt, ...(title !== undefined && { title }) }];
      }),
    );
    return listed.flat();
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#open.values(), (session) => session.close()));
  }

  async #findFolder(app: App, { id }: Session): Promise<string | undefined> {
    return (await app.agent()).findFolder(id);
  }

  /** @throws {RequestError} */
  async #openFolder(cwd: string): Promise<App> {
    try {
      return await this.#options.open(cwd);
    } catch (thrown) {
      const code = getErrorCode(thrown) ?? "INTERNAL";
      throw RequestError.invalidParams({ code }, `${getErrorMessage(thrown)} [${code}]`);
    }
  }

  /** An editor's servers are not started: which servers there are is the owner's to say. */
  #noteServers(servers: readonly { readonly name: string }[]): void {
    if (servers.length === 0) return;
    const names = servers.map(({ name }) => name).join(", ");
    this.#options.onNote(
      `The MCP servers of the editor are not started (${names}): \`haft mcp add\` and \`haft mcp import\` let servers in`,
    );
  }
}

function listModes({ mode }: AcpSession): SessionModeState {
  return {
    currentModeId: mode,
    availableModes: modes.map((id) => ({ id, name: id, description: modeTexts[id] })),
  };
}

function readScope(app: App): string {
  return app.context.scope ?? "local";
}
