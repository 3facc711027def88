import { join } from "node:path";
import type { App } from "../app/index.ts";
import type { Store } from "../app/store/index.ts";
import type { HttpHandler, LocalSocket, UpgradeHandler } from "../host/index.ts";
import { defaultAgent } from "../kernel/index.ts";
import type { BridgeSource } from "./bridge/index.ts";
import { isConsoleRequest } from "./console/console-path.ts";
import type { LazyConsole } from "./console/lazy-console.ts";
import { createOwnerConsoleHandler, isOwnerConsoleRequest } from "./console/owner-console.ts";
import { createTokenCheck } from "./http/bearer-token.ts";
import { sendJson } from "./http/json.ts";
import type { McpServer } from "./mcp/mcp-server.ts";
import type { Operator } from "./operator/index.ts";
import { isOwnerRequest } from "./owner/owner-endpoint.ts";
import type { ProjectEndpoints } from "./project-endpoints.ts";
import { identityPath } from "./running/serving.ts";
import type { Serving } from "./running/serving-identity.ts";
import { answerProof, proofHeader, readPort, readQuestion } from "./running/serving-proof.ts";

export interface HttpRoutesOptions {
  /** The servers by the path at which each is reached; the first is everybody's. */
  readonly servers: ReadonlyMap<string, McpServer>;
  readonly store: Store;
  /** What MCP clients and operators show. */
  readonly token: string;
  /** The other folders that clients may work in. */
  readonly projects: ProjectEndpoints;
  /** Let host programs connect. */
  readonly bridge: boolean;
  /** Open a socket of this machine for an operator. */
  readonly operator: boolean;
  /** Undefined if the console is off. */
  readonly console: LazyConsole | undefined;
  /** What this server is, for whoever proves to know its token. */
  readonly describe: () => Serving;
}

/** The HTTP routes of `haft serve`, and the socket beside them. */
export interface HttpRoutes {
  readonly handler: HttpHandler;
  readonly upgrade?: UpgradeHandler;
  /** Whether a request shows a token of this server, whichever. */
  readonly isIdentified: (request: Request) => boolean;
  /** The path of the operator's socket. */
  readonly socket?: string;
  /** Call it before the listener is closed. */
  close(): Promise<void>;
}

/** Opens the routes. The caller must check Host and Origin before a handler gets a request. */
export async function openHttpRoutes(app: App, options: HttpRoutesOptions): Promise<HttpRoutes> {
  const [{ createHttpHandler }, { createOwnerHandler }, operators, { AgentQueries, Operator }, { OwnerPin }] =
    await Promise.all([
      import("./mcp/http/http.ts"),
      import("./owner/owner-http.ts"),
      import("./operator/operator-http.ts"),
      import("./operator/index.ts"),
      import("../app/index.ts"),
    ]);
  const { servers, store, token } = options;
  const found = {
    ready: () => app.sources.listed(),
    hasAgent: (id: string) =>
      app.agents.has(id) || (id === defaultAgent && app.context.agentId === undefined),
  };
  const operator = new Operator({ ...app, ...found, queries: new AgentQueries({ ...app, ...found }) });
  const bridge = options.bridge ? await openBridge(app) : undefined;
  const socket = options.operator ? await openSocket(app, operator) : undefined;
  const pin = new OwnerPin(app.home);
  const paths = [...servers.keys()];
  const mcp = Array.from(servers, ([path, server]) => ({
    path,
    handler: createHttpHandler(server, { token, path, hosts: "any", beside: paths }),
  }));
  const ofPath = (request: Request) => mcp.find(({ path }) => path === getPath(request)) ?? mcp[0];
  const ownerToken = app.home.ownerToken();
  const owner = { token: ownerToken, checkPin: (given: string | undefined) => pin.check(given) };
  const { console, describe } = options;
  const hasToken = createTokenCheck([token, ownerToken]);
  const isIdentified = (request: Request) => hasToken(request) || console?.isIdentified(request) === true;
  const routes: readonly { readonly isFor: (request: Request) => boolean; readonly handler: HttpHandler }[] =
    [
      {
        isFor: isOwnerRequest,
        handler: createOwnerHandler({ ...owner, approvals: store.approvals }),
      },
      {
        isFor: isOwnerConsoleRequest,
        handler: createOwnerConsoleHandler({ token: ownerToken, console, describe }),
      },
      ...(console === undefined ? [] : [{ isFor: isConsoleRequest, handler: console.handle }]),
      { isFor: operators.isOperatorRequest, handler: operators.createOperatorHandler({ operator, token }) },
      ...(bridge === undefined ? [] : [{ isFor: bridge.owns, handler: bridge.handler }]),
      { isFor: options.projects.owns, handler: options.projects.handle },
      {
        isFor: (request) => getPath(request) === identityPath,
        handler: (request, response) =>
          sendJson(response, { status: 200, text: JSON.stringify(identityFor(request, options)) }),
      },
    ];
  return {
    handler: (request, response) =>
      (routes.find(({ isFor }) => isFor(request)) ?? ofPath(request))?.handler(request, response),
    isIdentified,
    ...(bridge !== undefined && { upgrade: bridge.upgrade }),
    ...(socket !== undefined && { socket: socket.path }),
    async close() {
      await operator.close();
      for (const { handler } of mcp) handler.close();
      await Promise.all([bridge?.close(), socket?.close(), options.projects.close(), console?.close()]);
    },
  };
}

/** What this server is, for whoever proves to know its token; for others only that it is a haft. */
function identityFor(request: Request, { token, describe }: HttpRoutesOptions): object {
  const serving = describe();
  const nonce = readQuestion(token, readPort(serving.url), request.headers[proofHeader]);
  if (nonce === undefined) return { name: "haft" };
  return { name: "haft", ...serving, proof: answerProof(token, nonce, serving) };
}

function getPath({ url = "" }: Request): string {
  return url.split("?", 1)[0] as string;
}

type Request = Parameters<HttpHandler>[0];

async function openBridge(app: App): Promise<BridgeSource> {
  const { createBridgeSource } = await import("./bridge/index.ts");
  return app.sources.openBridge(createBridgeSource);
}

async function openSocket(app: App, operator: Operator): Promise<LocalSocket> {
  const { serveOperator } = await import("./operator/index.ts");
  return serveOperator(operator, join(app.home.folder, "operator.sock"));
}
