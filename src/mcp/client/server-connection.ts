import type { Client } from "@modelcontextprotocol/client";
import { type Clock, compileGlob, cutHead, isRecord } from "../../base/index.ts";
import { HostError } from "../../host/index.ts";
import type { ToolContext } from "../../kernel/index.ts";
import { McpError } from "../errors.ts";
import { backoffMs } from "./backoff.ts";
import { defaultTimeoutMs, type McpServerConfig } from "./config.ts";
import { Deadline } from "./deadline.ts";
import { badAnswer, cancelled, readStatus, timedOut, unavailable } from "./faults.ts";
import type { LaunchQueue } from "./launch-queue.ts";
import { limits } from "./limits.ts";
import type { Link, Result } from "./link.ts";
import { LinkKeeper, type LinkStatus } from "./link-keeper.ts";
import type { McpClientServices, WaysMemory } from "./ports.ts";
import { type OpenCall, ServerQuestions } from "./server-questions.ts";
import type { ServerTool } from "./tools/server-tool.ts";
import { ToolList } from "./tools/tool-list.ts";
import { getBelievedAnnotations, listReadOnly } from "./tools/trusted-hints.ts";

/** What is known of a server, truthfully: a list that is offered while the server is away says how old it is. */
export interface ServerHealth {
  readonly server: string;
  /** `degraded` also where its list could not be had anew. */
  readonly status: LinkStatus["status"] | "disabled";
  readonly reason?: string;
  readonly code?: string;
  /** Unix ms. */
  readonly nextTryAt?: number;
  /** How many of its tools are offered. */
  readonly tools: number;
  /** Tools that the server itself calls read-only, with fingerprints of their definitions; absent: the list was never had. */
  readonly readOnlyTools?: Readonly<Record<string, string>>;
  /** Milliseconds since the list was had; absent: it never was. */
  readonly listAgeMs?: number;
  readonly quarantined: readonly { readonly name: string; readonly reason: string }[];
  /** What is wrong with its list, one sentence each. */
  readonly problems: readonly string[];
  readonly transport?: "stdio" | "streamable-http" | "sse";
  readonly protocolVersion?: string;
  /** What it says it is. */
  readonly serverInfo?: { readonly name: string; readonly version: string };
  /** What it says of its tools, in its own words. */
  readonly about?: string;
  readonly calls: number;
  readonly failures: number;
  readonly reconnects: number;
  /** Lines and answers of this connection that nobody asked for. */
  readonly strays: number;
}

/** What a person who looks for a fault wants to see of a server. */
export interface ServerReport {
  /** The last 64 KiB that its process said beside the protocol, without the secrets it was given. */
  readonly stderr: string;
  /** Unix ms: the end of the last attempt to connect. */
  readonly triedAt?: number;
}

export interface ServerConnectionOptions {
  readonly server: McpServerConfig;
  readonly services: McpClientServices;
  readonly clock: Clock;
  readonly ways: WaysMemory;
  /** Told when its tools are other ones. */
  readonly onTools: () => void;
  readonly onStatus: () => void;
}

/** The rest of what it says is for those who read a manual. */
const mostAboutChars = 500;

/** One request of the server, with all that may come of it. */
export interface ServerRequest {
  /** What is asked for, for people: `the tool "x"`. */
  readonly what: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly context: ToolContext;
  readonly tool?: ServerTool;
  /** It changes nothing when it is made twice. */
  readonly repeatable: boolean;
}

/** Between two rounds of a server that only asks to be asked again. */
const roundMs = 1000;

/** One server: its link, its tools, and every request to it. */
export class ServerConnection {
  readonly server: McpServerConfig;
  readonly list: ToolList;
  readonly #options: ServerConnectionOptions;
  readonly #keeper: LinkKeeper;
  readonly #questions: ServerQuestions;
  readonly #mayRepeat: (name: string) => boolean;
  /** It has not been connected to yet, and will be. */
  #isStarting = true;
  #readStderr = () => "";
  #calls = 0;
  #failures = 0;

  constructor(options: ServerConnectionOptions) {
    const { server, services, clock } = options;
    this.#options = options;
    this.server = server;
    this.#questions = new ServerQuestions({
      server: server.name,
      asker: services.asker,
      folders: [services.cwd],
    });
    this.list = new ToolList({
      server,
      definitions: services.definitions,
      clock,
      timeoutMs: server.timeout ?? defaultTimeoutMs,
      onChange: options.onTools,
      onRefresh: options.onStatus,
    });
    this.#keeper = new LinkKeeper({
      server,
      services,
      clock,
      ways: options.ways,
      random: services.random ?? Math.random,
      prepare: (client) => this.#prepare(client),
      onLink: (link) => this.#begin(link),
      onStatus: options.onStatus,
      onProcess: (readStderr) => {
        this.#readStderr = readStderr;
      },
    });
    const globs = (server.repeat ?? []).map(compileGlob);
    this.#mayRepeat = (name) => globs.some((matches) => matches(name));
  }

  /** Offers what was known of its tools when haft last ran. False where that could not be read; never rejects. */
  async restore(): Promise<boolean> {
    try {
      await this.list.restore();
      return true;
    } catch (error) {
      this.#isStarting = false;
      this.#options.services.onError?.(this.server.name, error);
      return false;
    }
  }

  /**
   * Resolves when the first try is over and its tools, if it has any, are there. Never rejects. A process starts in its
   * turn; a call that comes before does not wait for that.
   */
  async start(launches: LaunchQueue): Promise<void> {
    try {
      const connect = () => {
        this.#isStarting = false;
        return this.#keeper.connect();
      };
      const link = await (this.server.command === undefined ? connect() : launches.run(connect));
      await this.list.refresh(link);
    } catch (error) {
      // Whoever closes it while it connects knows.
      if (this.#keeper.status.status !== "closed") this.#options.services.onError?.(this.server.name, error);
    }
  }

  /** Lets go of the link and makes a new one, for a server whose owner has done something about it. */
  async reconnect(): Promise<void> {
    const link = this.#keeper.current;
    if (link !== undefined)
      await this.#keeper.drop(link, unavailable(this.server.name, "it is connected anew"));
    await this.#keeper.connect();
  }

  async close(): Promise<void> {
    this.#isStarting = false;
    this.list.leave();
    await this.#keeper.close();
  }

  /** @throws {McpError} */
  async refresh(context: { readonly signal: AbortSignal }): Promise<void> {
    const deadline = this.#deadline("the list of tools", context.signal);
    try {
      await this.list.refresh(await this.#keeper.linkFor(deadline));
    } finally {
      deadline.end();
    }
  }

  /** What is known beside its health, for whoever looks for a fault. */
  report(): ServerReport {
    const { triedAt } = this.#keeper;
    return { stderr: this.#readStderr(), ...(triedAt !== undefined && { triedAt }) };
  }

  health(): ServerHealth {
    const { status } = this.#keeper;
    const link = this.#keeper.current;
    const { known, fault, quarantined, problems } = this.list;
    const info = link?.client.getServerVersion();
    const about = link?.client.getInstructions() ?? info?.title;
    const version = link?.client.getNegotiatedProtocolVersion();
    const transport = link === undefined ? undefined : (link.ways.transport ?? "stdio");
    return {
      server: this.server.name,
      ...status,
      ...(status.status === "closed" && this.#isStarting && { status: "connecting" }),
      ...(status.status === "ready" && fault !== undefined && { status: "degraded", reason: fault }),
      tools: known?.tools.length ?? 0,
      ...(known !== undefined && {
        readOnlyTools: listReadOnly(known.tools),
      }),
      ...(known !== undefined && { listAgeMs: this.#options.clock.now() - known.listedAt }),
      quarantined,
      problems,
      ...(transport !== undefined && { transport }),
      ...(version !== undefined && { protocolVersion: version }),
      ...(info !== undefined && { serverInfo: { name: info.name, version: info.version } }),
      ...(about !== undefined && { about: cutHead(about, mostAboutChars) }),
      calls: this.#calls,
      failures: this.#failures,
      reconnects: this.#keeper.reconnects,
      strays: link?.wire.strays ?? 0,
    };
  }

  /** @throws {McpError} MCP_CAPABILITY where the server does not say that it has such things. */
  async checkOffers(capability: string, context: ToolContext): Promise<void> {
    const deadline = this.#deadline(`its ${capability}`, context.signal);
    try {
      const link = await this.#keeper.linkFor(deadline);
      if (link.capabilities[capability] !== undefined) return;
      throw new McpError(
        "MCP_CAPABILITY",
        `Cannot ask the MCP server "${this.server.name}": it has no ${capability}; ask another one`,
        { details: { server: this.server.name } },
      );
    } finally {
      deadline.end();
    }
  }

  /** Whether the owner lets a call of this tool be repeated when nobody knows whether it was done. */
  repeats(tool: ServerTool): boolean {
    if (this.#mayRepeat(tool.name)) return true;
    const { readOnly, idempotent } = getBelievedAnnotations(this.server, tool);
    return readOnly === true || idempotent === true;
  }

  /**
   * Throws what a call of a tool would fail with now: the server is away, or offers another tool under that name. A
   * server that is away is tried again; one that takes longer to come is left to the call.
   *
   * @throws {McpError}
   */
  async checkThere(tool: ServerTool, signal: AbortSignal): Promise<void> {
    if (this.#keeper.status.status === "failed") await this.#tryAgain(signal);
    else if (this.#keeper.status.status === "ready") this.list.checkOffered(tool);
  }

  async #tryAgain(signal: AbortSignal): Promise<void> {
    const late = timedOut(this.server.name, "the connection", limits.checkMs);
    const deadline = new Deadline(this.#options.clock, limits.checkMs, () => late, {
      signal,
      toError: () => cancelled(this.server.name, "the connection"),
    });
    try {
      await this.#keeper.linkFor(deadline);
    } catch (error) {
      if (error !== late) throw error;
    } finally {
      deadline.end();
    }
  }

  /**
   * Makes a request and gives its one outcome, in time, whatever the server does.
   *
   * @throws {McpError}
   */
  async request(request: ServerRequest): Promise<Result> {
    this.#calls++;
    const deadline = this.#deadline(request.what, request.context.signal);
    const call: OpenCall = { context: request.context, deadline };
    try {
      return await this.#questions.during(call, () => this.#attempt(request, call));
    } catch (error) {
      this.#failures++;
      throw error;
    } finally {
      deadline.end();
    }
  }

  async #attempt(request: ServerRequest, call: OpenCall): Promise<Result> {
    const link = this.#keeper.current ?? (await this.#keeper.linkFor(call.deadline));
    let isSent = false;
    try {
      const comparing = this.#compare(request, call, link);
      if (comparing !== undefined) await comparing;
      isSent = true;
      return await this.#rounds(link, request, call);
    } catch (error) {
      if (!(error instanceof McpError) || error.code !== "MCP_UNAVAILABLE" || call.deadline.failure === error)
        throw error;
      const notDone = knownNotDone(error);
      if (notDone) await this.#keeper.drop(link, error);
      else if (!isSent) throw error;
      else {
        void this.#keeper.suspect(link);
        if (!request.repeatable) throw mayBeDone(this.server.name, request.what, error);
      }
    }
    const next = await this.#keeper.nextLinkFor(call.deadline);
    await this.#compare(request, call, next);
    return this.#rounds(next, request, call);
  }

  /** A tool is called only by a definition that is what the server says now, and that its owner has accepted. */
  #compare({ tool }: ServerRequest, { deadline }: OpenCall, link: Link): Promise<void> | undefined {
    if (tool === undefined) return undefined;
    const comparing = this.list.compare(link, deadline);
    if (comparing !== undefined) return comparing.then(() => this.list.checkOffered(tool));
    this.list.checkOffered(tool);
    return undefined;
  }

  /** A server of 2026-07-28 asks by its answer, and is asked again with what it wanted to know. */
  async #rounds(
    link: Link,
    { method, params, context, tool, what }: ServerRequest,
    call: OpenCall,
  ): Promise<Result> {
    let sent = params;
    for (let round = 0; round <= limits.rounds; round++) {
      const result = await link.request({
        method,
        params: sent,
        deadline: call.deadline,
        progress: (progress, total, message) => context.progress(progress, total, message),
        ...(tool !== undefined && { tool }),
      });
      if (result["resultType"] !== "input_required") return result;
      const { inputRequests, requestState } = result;
      const inputResponses = await this.#answers(inputRequests, call);
      sent = {
        ...params,
        ...(Object.keys(inputResponses).length > 0 && { inputResponses }),
        ...(requestState !== undefined && { requestState }),
      };
    }
    throw badAnswer(
      this.server.name,
      `it still asks after ${limits.rounds} answers, in the middle of ${what}`,
    );
  }

  async #answers(requests: unknown, call: OpenCall): Promise<Record<string, unknown>> {
    const answers: Record<string, unknown> = {};
    const entries = isRecord(requests) ? Object.entries(requests) : [];
    if (entries.length > limits.questions) throw badAnswer(this.server.name, "it asks too much at once");
    if (entries.length === 0)
      await call.deadline.within(new Promise<void>((done) => void this.#options.clock.after(roundMs, done)));
    for (const [key, asked] of entries) {
      if (!isRecord(asked) || typeof asked["method"] !== "string")
        throw badAnswer(this.server.name, "it asks for something that is no question");
      answers[key] = await this.#questions.answerFor(call, asked["method"], asked["params"]);
    }
    return answers;
  }

  #prepare(client: Client): void {
    const answer =
      (method: string) =>
      async (request: { params?: unknown }, context: { mcpReq: { signal: AbortSignal } }) =>
        this.#questions.answerFreely(method, request.params, context.mcpReq.signal);
    client.setRequestHandler("elicitation/create", answer("elicitation/create") as never);
    if (this.server.roots === true) client.setRequestHandler("roots/list", answer("roots/list") as never);
  }

  #begin(link: Link): void {
    this.list.leave();
    link.wire.onListChanged = () => this.list.changed(link);
    void this.list.refresh(link);
    void this.#listen(link, 0);
  }

  /** Servers of 2026-07-28 tell of changes only to those who listen; before that they just tell. */
  async #listen(link: Link, failures: number): Promise<void> {
    const { clock, services } = this.#options;
    const { tools } = link.capabilities;
    if (!link.isModern || !isRecord(tools) || tools["listChanged"] !== true) return;
    try {
      const subscription = await link.client.listen({ toolsListChanged: true });
      if ((await subscription.closed) !== "remote") return;
    } catch (error) {
      if (this.#keeper.current !== link) return;
      services.onError?.(this.server.name, error);
    }
    clock.after(backoffMs(failures + 3, services.random ?? Math.random), () => {
      if (this.#keeper.current !== link) return;
      this.list.changed(link); // Whatever it told meanwhile was not heard.
      void this.#listen(link, failures + 1);
    });
  }

  #deadline(what: string, signal: AbortSignal): Deadline {
    const { name, timeout = defaultTimeoutMs } = this.server;
    return new Deadline(this.#options.clock, timeout, () => timedOut(name, what, timeout), {
      signal,
      toError: () => cancelled(name, what),
    });
  }
}

function mayBeDone(server: string, what: string, cause: McpError): McpError {
  return new McpError(
    "MCP_UNAVAILABLE",
    `${cause.message}; whether ${what} was done is not known: look before you call it again`,
    { cause, details: { server, mayBeDone: true } },
  );
}

const notSent: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** It was never sent, or a server that has lost its session refused it unseen. */
function knownNotDone({ cause }: McpError): boolean {
  if (cause instanceof HostError) return notSent.has(cause.details?.["reason"]);
  return readStatus(cause) === 404;
}
