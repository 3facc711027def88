import { createHash } from "node:crypto";
import { nearestNames } from "../../base/index.ts";
import type { WebSocketEvents, WebSocketPeer } from "../../host/index.ts";
import { appendIssues, type Tool, type ToolContent, type ToolSource } from "../../kernel/index.ts";
import { BridgeError } from "../../sources/index.ts";
import { type Announcement, type HostTool, readAnnouncement } from "./announcement.ts";
import { type BridgeContext, HostConnection } from "./host-connection.ts";
import { type AnnouncedTool, type BridgeMessage, type HostMessage, readHostMessage } from "./messages.ts";

/** The part of a tool source that the tools of one host program need. */
export type BridgeToolSource = Pick<ToolSource, "put" | "close">;

/** A host program that is connected now. */
export interface ConnectedHost {
  /** Unique among those that are connected; its tools have the origin `bridge:ID`. */
  readonly id: string;
  /** The name by which the host calls itself. */
  readonly name: string;
  readonly tools: readonly AnnouncedTool[];
}

/** Calls a tool of whatever host program has it, by the name it has there or here. */
export type CallBridge = (tool: string, params: unknown, context: BridgeContext) => Promise<ToolContent>;

interface Host {
  readonly connection: HostConnection;
  readonly toolSource: BridgeToolSource;
  readonly id: string;
  name: string;
  tools: readonly HostTool[];
  told: readonly AnnouncedTool[];
}

/** The host programs that are connected, and their tools: there as long as they are. */
export class Bridge {
  readonly #openToolSource: (name: string) => BridgeToolSource;
  readonly #onError: (error: unknown) => void;
  /** The hosts in the order in which they announced themselves. */
  readonly #hosts = new Set<Host>();

  constructor(
    openToolSource: (name: string) => BridgeToolSource,
    onError: (error: unknown) => void = () => {},
  ) {
    this.#openToolSource = openToolSource;
    this.#onError = onError;
  }

  hosts(): readonly ConnectedHost[] {
    return Array.from(this.#hosts, ({ id, name, told }) => ({ id, name, tools: told }));
  }

  /** @throws {BridgeError} BRIDGE_NOT_CONNECTED, and what {@link HostConnection.call} throws. */
  readonly call: CallBridge = async (name, params, context) => {
    for (const { connection, tools, told } of this.#hosts) {
      const own = told.find((one) => "as" in one && (one.name === name || one.as === name))?.name;
      const tool = tools.find((one) => one.name === own);
      if (tool !== undefined) return connection.call(tool, await validated(tool, params), context);
    }
    throw this.#notConnected(name);
  };

  /** Takes part in a conversation that was just begun. */
  connect(peer: WebSocketPeer): WebSocketEvents {
    const send = (message: BridgeMessage) => peer.send(JSON.stringify(message));
    const connection = new HostConnection(send);
    let host: Host | undefined;
    const take = (message: HostMessage) => {
      if (message.type !== "announce") return connection.take(message);
      const announcement = readAnnouncement(message);
      host ??= this.#welcome(announcement.host, connection);
      this.#announce(host, announcement);
      send({ type: "announced", host: host.id, tools: host.told });
    };
    return {
      onText: (text) => {
        try {
          take(readHostMessage(text));
        } catch (thrown) {
          if (!(thrown instanceof BridgeError)) {
            this.#onError(thrown);
            return peer.close(1011, "a fault of haft");
          }
          send({ type: "error", message: thrown.message });
          peer.close(1008, thrown.message);
        }
      },
      onClose: () => {
        if (host !== undefined) {
          this.#hosts.delete(host);
          host.toolSource.close();
        }
        connection.end();
      },
    };
  }

  #welcome(name: string, connection: HostConnection): Host {
    const id = this.#freeId(name);
    const host: Host = {
      connection,
      toolSource: this.#openToolSource(`bridge:${id}`),
      id,
      name,
      tools: [],
      told: [],
    };
    this.#hosts.add(host);
    return host;
  }

  #freeId(name: string): string {
    const plain =
      name
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, "-")
        .replace(/^-|-$/g, "")
        .slice(0, 24) || "host";
    const taken = new Set(Array.from(this.#hosts, ({ id }) => id));
    let id = plain;
    for (let count = 2; taken.has(id); count++) id = `${plain}-${count}`;
    return id;
  }

  #announce(host: Host, { host: name, tools, refused }: Announcement): void {
    host.name = name;
    host.tools = tools;
    host.told = [...this.#put(host, tools), ...refused];
  }

  /** A name that another tool has already gets that of its host before it: both can be reached. */
  #put({ toolSource, connection, id, name }: Host, tools: readonly HostTool[]): AnnouncedTool[] {
    const plain = tools.map((tool) => makeTool(tool, { id, name, connection }));
    const taken = new Set(toolSource.put(plain).map((one) => one.name));
    const named = tools.map((tool) => (taken.has(tool.name) ? toAlias(id, tool.name) : tool.name));
    const skipped =
      taken.size === 0 ? [] : toolSource.put(plain.map((tool, at) => renamed(tool, named[at] as string)));
    const reasons = new Map(skipped.map((one) => [one.name, one.reason]));
    return tools.map(({ name: own }, at) => {
      const as = named[at] as string;
      const reason = reasons.get(as);
      return reason === undefined ? { name: own, as } : { name: own, refused: reason };
    });
  }

  #notConnected(name: string): BridgeError {
    const known = this.hosts().flatMap(({ tools }) =>
      tools.flatMap((tool) => ("as" in tool ? [tool.name] : [])),
    );
    const near = nearestNames(name, known);
    const hint =
      near.length > 0
        ? `did you mean ${near.map((one) => `"${one}"`).join(" or ")}`
        : "start the one that has it, or open the page that `haft bridge` names";
    return new BridgeError(
      "BRIDGE_NOT_CONNECTED",
      `Cannot call "${name}" over the bridge: no host program with it is connected; ${hint}`,
    );
  }
}

interface Place {
  readonly id: string;
  readonly name: string;
  readonly connection: HostConnection;
}

function makeTool(tool: HostTool, { id, name, connection }: Place): Tool {
  const { title, description, parameters, annotations, timeoutMs, version } = tool;
  return {
    name: tool.name,
    ...(title !== undefined && { title }),
    description: `[${name}] ${description}`,
    category: "bridge",
    pack: `bridge:${id}`,
    origin: `bridge:${id}`,
    parameters,
    annotations,
    version,
    ...(timeoutMs !== undefined && { timeoutMs }),
    execute: (params: unknown, context) => connection.call(tool, params, context),
  };
}

function renamed(tool: Tool, name: string): Tool {
  return tool.name === name ? tool : { ...tool, name };
}

const longestName = 64;

function toAlias(host: string, tool: string): string {
  const plain = `${host}__${tool}`;
  if (plain.length <= longestName) return plain;
  const hash = createHash("sha256").update(plain).digest("hex").slice(0, 10);
  return `${plain.slice(0, longestName - hash.length - 1)}_${hash}`;
}

async function validated(tool: HostTool, params: unknown): Promise<unknown> {
  const validation = await tool.validate(params);
  if (validation.valid) return validation.value;
  const sentence = `Cannot call "${tool.name}" over the bridge: its arguments do not fit:`;
  throw new BridgeError("BRIDGE_FAILED", appendIssues(sentence, validation.issues, params, tool.parameters));
}
