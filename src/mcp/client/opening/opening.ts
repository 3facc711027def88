import type { Client, Transport } from "@modelcontextprotocol/client";
import type { Clock } from "../../../base/index.ts";
import type { McpServerConfig } from "../config.ts";
import type { Deadline } from "../deadline.ts";
import type { Pace } from "../pace.ts";
import type { McpClientServices, ServerWays } from "../ports.ts";
import type * as mcp from "../sdk.ts";

export interface OpenLinkOptions {
  readonly server: McpServerConfig;
  readonly services: McpClientServices;
  readonly clock: Clock;
  /** What worked before. */
  readonly remembered: ServerWays;
  readonly deadline: Deadline;
  /** Given each client before it connects. */
  readonly prepare: (client: Client) => void;
  /** Given what its process says beside the protocol, as soon as one was started. */
  readonly onProcess: (readStderr: () => string) => void;
}

/** What every way of opening a link works with. */
export interface Opening extends OpenLinkOptions {
  readonly sdk: typeof mcp;
  readonly pace: Pace;
  /** A fresh client, which connects within the deadline. */
  readonly connect: (transport: Transport, era: Era) => Promise<Client>;
}

/** `auto` asks first; the others are what was found, or what there is to try. */
export type Era = "legacy" | "modern" | "auto";
