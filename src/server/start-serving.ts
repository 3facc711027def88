import type { App } from "../app/index.ts";
import { CodedError } from "../base/index.ts";
import {
  HostError,
  type HttpListener,
  type HttpListenerOptions,
  isLoopbackHost,
  openListener,
  toHttpOrigin,
} from "../host/index.ts";
import { type ConsoleLink, LazyConsole } from "./console/lazy-console.ts";
import { type HttpRoutes, openHttpRoutes } from "./http-routes.ts";
import type { ChooseServer, McpServer } from "./mcp/mcp-server.ts";
import { ownerPath } from "./owner/owner-endpoint.ts";
import { type OpenedProject, ProjectEndpoints } from "./project-endpoints.ts";
import { describeHaftAt, recordServing } from "./running/index.ts";

/** The path of everybody's tools; those of one client are below it. */
export const mcpPath = "/mcp";

export interface ServingOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  /**
   * The servers by the path at which each is reached, {@link mcpPath} first. That one takes `chooseServer`, by which
   * its clients come into the folders they name.
   */
  readonly createServers: (chooseServer: ChooseServer) => ReadonlyMap<string, McpServer>;
  /** Opens the installation of another folder, for the clients that ask for it by its name. */
  readonly openProject: (folder: string) => Promise<OpenedProject>;
  /** The folder that this server is for, as those are told who look for it. */
  readonly folder: string;
  /** Let host programs connect. */
  readonly bridge: boolean;
  /** Open a socket of this machine for an operator. */
  readonly operator: boolean;
  /** The version of haft, as the console shows it. */
  readonly version: string;
  readonly onError: (error: unknown) => void;
}

/** A server that listens. */
export interface StartedServing {
  /** The address for MCP clients. */
  readonly url: string;
  /** The address at which the owner answers approvals. */
  readonly approvalsUrl: string;
  /** The path of the operator's socket, where there is one. */
  readonly socket: string | undefined;
  /** Makes a link that opens the console once. Undefined if the server is open to the network, where the console is off. */
  readonly openConsole: (() => Promise<ConsoleLink>) | undefined;
  close(): Promise<void>;
}

/**
 * Serves an installation over HTTP, and is found by others of its home folder until it is closed.
 *
 * @throws {HostError} what the listener throws: where another haft has the port, with its address
 */
export async function startServing(app: App, options: ServingOptions): Promise<StartedServing> {
  const { host, port, bridge, operator, onError } = options;
  const { home } = app;
  const token = home.token();
  const projects = new ProjectEndpoints({ home, token, open: options.openProject, onError });
  const servers = options.createServers(projects.chooseServer(app.folder));
  const identity = { pid: process.pid, folder: options.folder, startedAt: Date.now() };
  let url = "";
  const describe = () => ({ ...identity, url });
  const store = await app.store();
  const console = isLoopbackHost(host)
    ? new LazyConsole({
        app,
        host: () => new URL(url).host,
        version: options.version,
        onError,
      })
    : undefined;
  const routes = await openHttpRoutes(app, {
    servers,
    store,
    token,
    projects,
    bridge,
    operator,
    console,
    describe,
  });
  const closeAll = async (listener?: HttpListener) => {
    await routes.close();
    for (const server of servers.values()) server.close();
    await listener?.close();
  };
  const listener = await listen(app, routes, { host, port }).catch(async (error: unknown) => {
    await closeAll();
    throw error;
  });
  url = `${listener.url}${mcpPath}`;
  const forget = recordServing(home, describe());
  return {
    url,
    approvalsUrl: `${listener.url}${ownerPath}`,
    socket: routes.socket,
    openConsole: console && (() => console.issueLink()),
    async close() {
      forget();
      await closeAll(listener);
    },
  };
}

/** @throws {HostError} */
async function listen(
  { home }: App,
  routes: HttpRoutes,
  { host, port }: Required<Pick<HttpListenerOptions, "host" | "port">>,
): Promise<HttpListener> {
  try {
    return await openListener({ ...routes, host, port });
  } catch (cause) {
    if (!(cause instanceof CodedError) || cause.code !== "LISTEN_BUSY") throw cause;
    const origin = toHttpOrigin(host, port);
    const other = await describeHaftAt(home, origin);
    if (other === undefined) throw cause;
    throw new HostError(
      "LISTEN_BUSY",
      `Cannot listen on "${origin.replace("http://", "")}": another haft has that port: ${other}; connect to it, stop it with \`haft serve stop\`, or choose another with --port`,
      { cause },
    );
  }
}
