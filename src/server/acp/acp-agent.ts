import { randomBytes } from "node:crypto";
import { Readable, Writable } from "node:stream";
import {
  agent,
  type NewSessionRequest,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
} from "@agentclientprotocol/sdk";
import type { App } from "../../app/index.ts";
import type { Session } from "../../modules/sessions/index.ts";
import { AcpSession, channel } from "./acp-session.ts";
import { describeFault } from "./fault.ts";
import type { AcpOptions } from "./options.ts";
import { listResources, toParts } from "./prompt.ts";

/** Streams of one client: its messages and our answers. */
export interface AcpStreams {
  readonly input: Readable;
  readonly output: Writable;
}

/**
 * Serves haft's agent to one client of the Agent Client Protocol. The promise resolves once the connection has ended
 * and the prompts under way are interrupted.
 */
export async function serveAcp({ input, output }: AcpStreams, options: AcpOptions): Promise<void> {
  const sessions = new Map<string, AcpSession>();
  // Node's own type of the bytes is wider than that of the web's streams.
  const bytes = Readable.toWeb(input) as ReadableStream<Uint8Array>;
  const connection = agent({ name: "haft" })
    .onRequest("initialize", () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
      },
      agentInfo: { name: "haft", title: "haft", version: options.version },
      authMethods: [],
    }))
    .onRequest("authenticate", () => ({}))
    .onRequest("session/new", async ({ params, client }) => {
      const app = await openFolder(params, options);
      const sessionId = randomBytes(12).toString("hex");
      sessions.set(sessionId, new AcpSession({ app, options, client, id: sessionId }));
      return { sessionId };
    })
    .onRequest("session/load", async ({ params, client }) => {
      const { sessionId: id } = params;
      const app = await openFolder(params, options);
      const stored = await findStored(app, id);
      await sessions.get(id)?.close();
      const session = new AcpSession({ app, options, client, id, stored });
      sessions.set(id, session);
      await session.replay(stored);
      return {};
    })
    .onRequest("session/prompt", ({ params: { sessionId, prompt } }) => {
      const session = sessions.get(sessionId);
      if (session === undefined) throw RequestError.sessionNotFound(sessionId);
      return session.prompt(toParts(prompt), listResources(prompt));
    })
    .onNotification("session/cancel", ({ params }) => sessions.get(params.sessionId)?.cancel())
    .connect(ndJsonStream(Writable.toWeb(output), bytes));
  await connection.closed;
  await Promise.all(Array.from(sessions.values(), (session) => session.close()));
}

/** @throws {RequestError} */
async function openFolder({ cwd, mcpServers }: NewSessionRequest, options: AcpOptions): Promise<App> {
  let app: App;
  try {
    app = await options.open(cwd);
  } catch (thrown) {
    throw RequestError.invalidParams(...describeFault(thrown));
  }
  const names = mcpServers.map(({ name }) => name).join(", ");
  if (names !== "")
    options.onNote(
      `The MCP servers of the editor are not started (${names}): \`haft mcp add\` and \`haft mcp import\` let servers in`,
    );
  return app;
}

/** @throws {RequestError} No editor began such a session, or it works in another folder. */
async function findStored(app: App, address: string): Promise<Session> {
  const { sessions } = await app.store();
  const scope = app.context.scope ?? "local";
  const [stored] = await sessions.list({ scope, channel, address, limit: 1 });
  if (stored === undefined) throw RequestError.sessionNotFound(address);
  const folder = await (await app.agent()).findFolder(stored.id);
  if (folder !== undefined && folder !== app.folder)
    throw RequestError.invalidParams(undefined, `the session works in ${folder}; open it there`);
  return stored;
}
