import { type Clock, systemClock } from "../../base/index.ts";
import { type HttpHandler, openWebSockets, type UpgradeHandler, type WebSockets } from "../../host/index.ts";
import type { Source, SourceProblem } from "../../sources/index.ts";
import { Bridge, type BridgeToolSource, type CallBridge, type ConnectedHost } from "./bridge.ts";
import {
  type BridgeRequest,
  bridgePath,
  bridgeProtocol,
  createBridgeHandler,
  readPath,
  refuseConnection,
} from "./bridge-http.ts";
import { BridgePasses } from "./passes.ts";

/** What a bridge works with. */
export interface BridgeServices {
  /** A tool source of the registry for one host program: `bridge:laptop`. */
  readonly openToolSource: (name: string) => BridgeToolSource;
  /** Signs what host programs show: whoever has it can let them in. 32 characters at least. */
  readonly key: string;
  /** @default the system's */
  readonly clock?: Clock;
  /** How often a host program is asked whether it is still there. @default 15,000 */
  readonly pingMs?: number;
  /** Told of a fault of haft itself while it took a message; the connection ends. */
  readonly onError?: (error: unknown) => void;
}

/** The tools of host programs, which come and go with them. It has no port of its own: whoever listens hands over. */
export interface BridgeSource extends Source {
  readonly kind: "bridge";
  /** Whether a request is the bridge's to answer. */
  readonly owns: (request: BridgeRequest) => boolean;
  readonly handler: HttpHandler;
  readonly upgrade: UpgradeHandler;
  /** The host programs that are connected now. */
  hosts(): readonly ConnectedHost[];
  readonly call: CallBridge;
}

/**
 * Makes the source of the tools that host programs lend. Mount `handler` and `upgrade` behind a check of Host and
 * Origin; once it has started, host programs can connect there.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * const bridge = createBridgeSource({
 *   openToolSource: (name) => registry.source(name, sourceRanks.mcp),
 *   key: "a key of 32 characters, at least!",
 * });
 * bridge.hosts(); // → []
 * ```
 */
export function createBridgeSource(services: BridgeServices): BridgeSource {
  const { openToolSource, key, clock = systemClock, pingMs, onError } = services;
  const passes = new BridgePasses(key, clock);
  const bridge = new Bridge(openToolSource, onError);
  let sockets: WebSockets | undefined;
  return {
    kind: "bridge",
    async start() {
      sockets ??= await openWebSockets({
        protocol: bridgeProtocol,
        refuse: (request) => refuseConnection(passes, request),
        onConnection: (peer) => bridge.connect(peer),
        clock,
        ...(pingMs !== undefined && { pingMs }),
      });
    },
    problems: () => bridge.hosts().flatMap(listProblems),
    async close() {
      await sockets?.close();
    },
    owns(request) {
      const path = readPath(request);
      return path === bridgePath || path.startsWith(`${bridgePath}/`);
    },
    handler: createBridgeHandler(passes),
    upgrade(request, socket, head) {
      if (sockets === undefined) socket.destroy();
      else sockets.upgrade(request, socket, head);
    },
    hosts: () => bridge.hosts(),
    call: bridge.call,
  };
}

/** The tools of a host program that were left out. */
function listProblems({ id, tools }: ConnectedHost): SourceProblem[] {
  return tools.flatMap((tool) => {
    if ("as" in tool) return [];
    const message = `Cannot take the tool "${tool.name}" of ${id}: ${tool.refused}`;
    return [{ where: `bridge:${id}`, code: "BRIDGE_TOOL", message }];
  });
}
