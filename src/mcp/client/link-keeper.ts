import type { Client } from "@modelcontextprotocol/client";
import type { Clock } from "../../base/index.ts";
import { McpError } from "../errors.ts";
import { backoffMs } from "./backoff.ts";
import { defaultConnectTimeoutMs, identify, type McpServerConfig } from "./config.ts";
import { Deadline } from "./deadline.ts";
import { timedOut, toMcpError, unavailable } from "./faults.ts";
import type { Link } from "./link.ts";
import { openLink } from "./opening/open-link.ts";
import type { McpClientServices, WaysMemory } from "./ports.ts";

export type LinkStatus =
  | { readonly status: "connecting" }
  | { readonly status: "ready" }
  /** It is there, but did not answer when it was last asked. */
  | { readonly status: "degraded"; readonly reason: string }
  /** Not there. Without a `nextTryAt` it waits for its owner. */
  | { readonly status: "failed"; readonly reason: string; readonly code: string; readonly nextTryAt?: number }
  | { readonly status: "closed" };

export interface LinkKeeperOptions {
  readonly server: McpServerConfig;
  readonly services: McpClientServices;
  readonly clock: Clock;
  readonly ways: WaysMemory;
  readonly random: () => number;
  readonly prepare: (client: Client) => void;
  /** Told of each new link. */
  readonly onLink: (link: Link) => void;
  readonly onStatus: () => void;
  readonly onProcess: (readStderr: () => string) => void;
}

/** A link that lived so long was a good one: the next failure is a first one. */
const goodMs = 10_000;
/** Calls do not try to connect more often. */
const soonestMs = 1000;
const probeEveryMs = 30_000;
const probeMs = 10_000;

/** Keeps the link to one server: makes it, looks after it while it is idle, and makes it anew when it breaks. */
export class LinkKeeper {
  readonly #options: LinkKeeperOptions;
  #status: LinkStatus = { status: "closed" };
  #link: Link | undefined;
  #connecting: Promise<Link> | undefined;
  #opening: Deadline | undefined;
  #failures = 0;
  #linkedAt = 0;
  #triedAt = Number.NEGATIVE_INFINITY;
  #endRetry: (() => void) | undefined;
  #endProbe: (() => void) | undefined;
  #missed = 0;
  #isClosed = false;
  reconnects = 0;

  constructor(options: LinkKeeperOptions) {
    this.#options = options;
  }

  get status(): LinkStatus {
    return this.#status;
  }

  /** Unix ms: the end of the last attempt to connect; undefined if there was none. */
  get triedAt(): number | undefined {
    return Number.isFinite(this.#triedAt) ? this.#triedAt : undefined;
  }

  get current(): Link | undefined {
    return this.#link;
  }

  /** Whoever asks while it is being made gets the same one. */
  connect(): Promise<Link> {
    if (this.#isClosed) return Promise.reject(this.#closedError());
    if (this.#link !== undefined) return Promise.resolve(this.#link);
    this.#endRetry?.();
    this.#connecting ??= this.#open().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  /**
   * The link for a request. One that is down is tried again at once, but not for every call of many.
   *
   * @throws {McpError} MCP_UNAVAILABLE and what connecting fails with; the reason of the deadline.
   */
  async linkFor(deadline: Deadline): Promise<Link> {
    if (this.#link !== undefined) return this.#link;
    const { clock, server } = this.#options;
    const status = this.#status;
    if (this.#connecting === undefined && status.status === "failed") {
      const next = status.nextTryAt;
      if (next === undefined || clock.now() - this.#triedAt < soonestMs) {
        const when = next === undefined ? "" : `; the next try is in ${Math.max(0, next - clock.now())} ms`;
        throw new McpError(status.code as "MCP_UNAVAILABLE", `${status.reason}${when}`, {
          details: { server: server.name },
        });
      }
    }
    const connecting = this.connect();
    connecting.catch(() => undefined);
    return deadline.within(connecting);
  }

  /**
   * The next link, however long its turn may be in coming.
   *
   * @throws {McpError} what connecting fails with; the reason of the deadline.
   */
  async nextLinkFor(deadline: Deadline): Promise<Link> {
    const { clock } = this.#options;
    const status = this.#status;
    if (status.status === "failed" && status.nextTryAt !== undefined) {
      const waitMs = status.nextTryAt - clock.now();
      await deadline.within(new Promise<void>((done) => void clock.after(waitMs, done)));
    }
    return this.linkFor(deadline);
  }

  /** A request met a broken connection: asks whether the server is there at all. */
  async suspect(link: Link): Promise<void> {
    if (this.#link === link) await this.#probe(link);
  }

  /** The link is of no more use: makes a new one. */
  async drop(link: Link, reason: McpError): Promise<void> {
    if (this.#link !== link) return;
    this.#lost(link, reason);
    await link.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endRetry?.();
    this.#endProbe?.();
    const link = this.#link;
    this.#link = undefined;
    this.#set({ status: "closed" });
    this.#opening?.fail(this.#closedError());
    await link?.close().catch(() => undefined);
    await this.#connecting?.catch(() => undefined);
  }

  async #open(): Promise<Link> {
    const { server, services, clock, ways, prepare, onProcess } = this.#options;
    const timeoutMs = server.connectTimeout ?? defaultConnectTimeoutMs;
    const key = JSON.stringify([server.name, ...identify(server)]);
    this.#set({ status: "connecting" });
    const deadline = new Deadline(clock, timeoutMs, () =>
      timedOut(server.name, "the connection", timeoutMs, "connectTimeout"),
    );
    this.#opening = deadline;
    try {
      const remembered = (await ways.get(key)) ?? {};
      const link = await this.#openWith(remembered, key, {
        server,
        services,
        clock,
        deadline,
        prepare,
        onProcess,
      });
      if (this.#isClosed) {
        void link.close();
        throw this.#closedError();
      }
      this.#begin(link);
      return link;
    } catch (thrown) {
      const error = toMcpError(server.name, "the connection", thrown);
      this.#failures++;
      this.#fail(error);
      throw error;
    } finally {
      this.#triedAt = clock.now();
      this.#opening = undefined;
      deadline.end();
    }
  }

  async #openWith(
    remembered: NonNullable<Awaited<ReturnType<WaysMemory["get"]>>>,
    key: string,
    options: Omit<Parameters<typeof openLink>[0], "remembered">,
  ): Promise<Link> {
    const { ways } = this.#options;
    try {
      const link = await openLink({ ...options, remembered });
      if (JSON.stringify(link.ways) !== JSON.stringify(remembered)) await ways.set(key, link.ways);
      return link;
    } catch (error) {
      // What worked before does not any more: the next try begins from the beginning.
      if (Object.keys(remembered).length > 0) await ways.set(key, {});
      throw error;
    }
  }

  #begin(link: Link): void {
    this.#link = link;
    this.#linkedAt = this.#options.clock.now();
    this.#missed = 0;
    this.#set({ status: "ready" });
    void link.closed.then(() => this.#ended(link));
    this.#watch(link);
    this.#options.onLink(link);
  }

  async #ended(link: Link): Promise<void> {
    if (this.#link !== link || this.#isClosed) return;
    const reason = unavailable(this.#options.server.name, "it closed the connection; see its log");
    this.#lost(link, reason);
    const better = await link.explainEnd?.();
    const status = this.#status;
    if (better !== undefined && status.status === "failed" && status.reason === reason.message)
      this.#set({ ...status, reason: better.message });
  }

  #lost(link: Link, reason: McpError): void {
    if (this.#link !== link || this.#isClosed) return;
    this.#link = undefined;
    this.#endProbe?.();
    this.reconnects++;
    const lived = this.#options.clock.now() - this.#linkedAt;
    this.#failures = lived >= goodMs ? 1 : this.#failures + 1;
    this.#fail(reason);
  }

  #fail(error: McpError): void {
    if (this.#isClosed) return;
    const { clock, random } = this.#options;
    const base = { status: "failed", reason: error.message, code: error.code } as const;
    // More tries would meet the same until the owner does something.
    if (error.code === "MCP_UNAUTHORIZED" || error.code === "MCP_CONFIG") return this.#set(base);
    const delayMs = backoffMs(this.#failures, random);
    this.#endRetry?.();
    this.#endRetry = clock.after(delayMs, () => void this.connect().catch(() => undefined));
    this.#set({ ...base, nextTryAt: clock.now() + delayMs });
  }

  #watch(link: Link): void {
    const { clock } = this.#options;
    this.#endProbe?.();
    this.#endProbe = clock.after(probeEveryMs, () => {
      // One that works on something may have no time for more.
      const isIdle = link.wire.asks.size === 0 && link.silentFor(probeEveryMs);
      if (isIdle) void this.#probe(link);
      else this.#watch(link);
    });
  }

  async #probe(link: Link): Promise<void> {
    const { server, clock } = this.#options;
    const deadline = new Deadline(clock, probeMs, () => timedOut(server.name, "a ping", probeMs));
    try {
      await link.request({ method: link.isModern ? "server/discover" : "ping", deadline });
      this.#answered(link);
    } catch (error) {
      if (this.#link !== link) return;
      const code = error instanceof McpError ? error.code : undefined;
      if (code === "MCP_SERVER_ERROR") this.#answered(link);
      else if (code === "MCP_UNAVAILABLE" || ++this.#missed >= 2)
        await this.drop(link, toMcpError(server.name, "a ping", error));
      else this.#set({ status: "degraded", reason: toMcpError(server.name, "a ping", error).message });
    } finally {
      deadline.end();
      if (this.#link === link) this.#watch(link);
    }
  }

  #answered(link: Link): void {
    this.#missed = 0;
    if (this.#link === link && this.#status.status === "degraded") this.#set({ status: "ready" });
  }

  #set(status: LinkStatus): void {
    this.#status = status;
    this.#options.onStatus();
  }

  #closedError(): McpError {
    return unavailable(this.#options.server.name, "haft has closed its connections");
  }
}
