import { join } from "node:path";
import type { App, Operator } from "../app/index.ts";
import type { HttpHandler, LocalSocket, UpgradeHandler } from "../host/index.ts";
import type { McpServer } from "../mcp/index.ts";
import type { Store } from "../store/index.ts";
import { isOwnerRequest } from "./owner/owner-endpoint.ts";

export interface DoorOptions {
  readonly server: McpServer;
  readonly store: Store;
  /** What MCP clients and operators show. */
  readonly token: string;
  /** Where MCP is spoken: `/mcp`. */
  readonly path: string;
  /** Let host programs connect. */
  readonly bridge: boolean;
  /** Open a socket of this machine for an operator. */
  readonly operator: boolean;
}

/** All that `haft serve` answers on one port, and beside it. */
export interface Doors {
  readonly handler: HttpHandler;
  readonly upgrade?: UpgradeHandler;
  /** Of the operator. */
  readonly socket?: string;
  /** Call it before the listener is closed. */
  close(): Promise<void>;
}

/** Whoever mounts them has checked Host and Origin before a handler sees a request. */
export async function openDoors(app: App, options: DoorOptions): Promise<Doors> {
  const [{ createHttpHandler }, { createOwnerHandler }, operators, { Operator }] = await Promise.all([
    import("../mcp/index.ts"),
    import("./owner/owner-http.ts"),
    import("./operator/operator-http.ts"),
    import("../app/index.ts"),
  ]);
  const { server, store, token, path } = options;
  const operator = new Operator({
    ...app,
    ready: () => app.sources.listed(),
    hasAgent: (id) => app.agents.has(id),
  });
  const bridge = options.bridge ? await app.sources.openBridge() : undefined;
  const socket = options.operator ? await openSocket(app, operator) : undefined;
  const mcp = createHttpHandler(server, { token, path, hosts: "any" });
  const doors: readonly { readonly isFor: (request: Request) => boolean; readonly handler: HttpHandler }[] = [
    {
      isFor: isOwnerRequest,
      handler: createOwnerHandler({ approvals: store.approvals, token: app.home.ownerToken() }),
    },
    { isFor: operators.isOperatorRequest, handler: operators.createOperatorHandler({ operator, token }) },
    ...(bridge === undefined ? [] : [{ isFor: bridge.owns, handler: bridge.handler }]),
  ];
  return {
    handler: (request, response) =>
      (doors.find(({ isFor }) => isFor(request))?.handler ?? mcp)(request, response),
    ...(bridge !== undefined && { upgrade: bridge.upgrade }),
    ...(socket !== undefined && { socket: socket.path }),
    async close() {
      mcp.close();
      await Promise.all([bridge?.close(), socket?.close()]);
    },
  };
}

type Request = Parameters<HttpHandler>[0];

async function openSocket(app: App, operator: Operator): Promise<LocalSocket> {
  const { serveOperator } = await import("../app/index.ts");
  return serveOperator(operator, join(app.home.folder, "operator.sock"));
}
