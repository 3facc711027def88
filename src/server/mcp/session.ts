import { isRecord } from "../../base/index.ts";
import type { Interaction } from "../../kernel/index.ts";
import { noAnswer, Questions } from "./asking/questions.ts";
import type { Method, Outlet, Question, Reply } from "./calls/call.ts";
import { LegacyCall, type LegacyHost } from "./calls/legacy-call.ts";
import { type ClientSource, type McpClient, toCapabilities, toClientInfo } from "./client.ts";
import type { ServerCore } from "./core.ts";
import { errorAnswer, finish, legacyAnswer, type Outcome, settle } from "./messages/answer.ts";
import {
  isRequestId,
  notificationText,
  type Params,
  type RequestId,
  type RpcNotification,
  type RpcRequest,
  type RpcResponse,
  writeMembers,
} from "./messages/message.ts";
import { findMethod } from "./messages/methods.ts";
import { isLogLevel, type LogLevel, legacyVersions, logLevels } from "./messages/protocol.ts";
import { invalidParams, invalidRequest, methodNotFound, type RpcError } from "./messages/rpc-error.ts";
import { type Change, toNotification } from "./offers/changes.ts";
import { readUri } from "./offers/resources.ts";
import { getCore } from "./server.ts";
import { SessionProject } from "./session-project.ts";

const mostSubscriptions = 1000;
const nothing: Reply = { members: "" };
const movesNote =
  "Your client names the folders that it works in: where these tools work in one of them instead, or can not, the first result says so.";

/** A way to the client that is open all the time. */
export interface Standing {
  send(message: string): void;
  end(): void;
}

/** One conversation of a client that began, or has to begin, with `initialize` (2025-11-25 and before). */
export class Session implements LegacyHost {
  /** The server that was reached. */
  readonly #home: ServerCore;
  /** The one that the session works with. */
  #core: ServerCore;
  readonly #from: ClientSource;
  readonly #project: SessionProject | undefined;
  readonly #running = new Map<RequestId, LegacyCall>();
  readonly #questions = new Questions();
  readonly #uris = new Set<string>();
  #client: McpClient | undefined;
  #interaction: Interaction | undefined;
  #logLevel: LogLevel = "info";
  #initialized = false;
  #standing: Standing | undefined;
  #stopListening: (() => void) | undefined;

  constructor(core: ServerCore, from: ClientSource) {
    this.#home = core;
    this.#core = core;
    this.#from = from;
    const { chooseServer } = core.options;
    this.#project = chooseServer === undefined ? undefined : new SessionProject(chooseServer, core.clock);
  }

  get client(): McpClient {
    if (this.#client === undefined)
      throw new Error("Cannot say who the client is: it has not sent initialize");
    return this.#client;
  }

  get interaction(): Interaction | undefined {
    return this.#interaction;
  }

  get logLevel(): LogLevel {
    return this.#logLevel;
  }

  /** Undefined before `initialize`. */
  get protocolVersion(): string | undefined {
    return this.#client?.protocolVersion;
  }

  get busy(): boolean {
    return this.#running.size > 0 || this.#standing !== undefined;
  }

  request(request: RpcRequest, outlet: Outlet): void {
    const { id, method } = request;
    const refusal = this.#refusal(request);
    if (refusal !== undefined) {
      const { text, httpStatus } = errorAnswer(id, refusal);
      outlet.end(text, httpStatus);
      return;
    }
    if (method === "initialize" || method === "ping") {
      this.#answerAtOnce(request, outlet);
      return;
    }
    const call = new LegacyCall(this, request, outlet);
    this.#running.set(id, call);
    settle(
      () => this.#perform(call),
      (outcome) => {
        this.#running.delete(id);
        if (call.cancelled) outlet.abandon();
        else this.#answer(id, outcome, outlet);
        finish(outcome);
      },
    );
  }

  notification({ method, params }: RpcNotification): void {
    if (method === "notifications/cancelled") {
      const { requestId, reason } = params;
      if (!isRequestId(requestId)) return;
      const why = typeof reason === "string" ? `: ${reason.slice(0, 500)}` : "";
      this.#running.get(requestId)?.cancel(new Error(`The client cancelled the request${why}`));
    } else if (method === "notifications/initialized") {
      this.#initialized = true;
      this.#listen();
    } else if (method === "notifications/roots/list_changed") this.#project?.forgetRoots();
  }

  response(response: RpcResponse): void {
    this.#questions.answer(response);
  }

  ask(question: Question, outlet: Outlet): Promise<Params> {
    if (outlet.open) return this.#questions.ask(question, (message) => outlet.open && outlet.send(message));
    return Promise.reject(noAnswer(question.method));
  }

  /** Sets the stream on which the server may speak unasked; a newer one takes its place. The returned function says that it is gone. */
  openStanding(standing: Standing): () => void {
    this.#standing?.end();
    this.#standing = standing;
    this.#listen();
    return () => {
      if (this.#standing === standing) this.#endStanding();
    };
  }

  /** The client can't be asked any more; what runs goes on. */
  hangUp(): void {
    this.#questions.close();
    this.#standing?.end();
    this.#endStanding();
  }

  /** Ends everything that runs. */
  close(reason: Error): void {
    this.hangUp();
    for (const call of this.#running.values()) call.cancel(reason);
  }

  #refusal({ id, method }: RpcRequest): RpcError | undefined {
    if (this.#running.has(id))
      return invalidRequest("Cannot take the request: another one with its id is not answered yet");
    if (method === "initialize" && this.#client !== undefined) {
      return invalidRequest("Cannot initialize: it was done already; open a new connection");
    }
    if (this.#client !== undefined || method === "initialize" || method === "ping") return undefined;
    return invalidParams(
      `Cannot answer "${method.slice(0, 200)}": send initialize first, or give the protocol version and your capabilities in "_meta"`,
    );
  }

  #answerAtOnce(request: RpcRequest, outlet: Outlet): void {
    const run = () => (request.method === "ping" ? nothing : this.#initialize(request.params));
    settle(run, (outcome) => this.#answer(request.id, outcome, outlet));
  }

  #answer(id: RequestId, outcome: Outcome, outlet: Outlet): void {
    const { text, httpStatus } = legacyAnswer(id, outcome, this.#core.onError);
    outlet.end(text, httpStatus);
  }

  #initialize({ protocolVersion: wanted, capabilities, clientInfo }: Params): Reply {
    if (typeof wanted !== "string")
      throw invalidParams('Cannot initialize: "protocolVersion" must be a string');
    if (!isRecord(capabilities)) throw invalidParams('Cannot initialize: "capabilities" must be an object');
    const protocolVersion = legacyVersions.includes(wanted) ? wanted : (legacyVersions[0] as string);
    this.#client = {
      ...this.#from,
      ...toClientInfo(clientInfo),
      protocolVersion,
      capabilities: toCapabilities(capabilities),
    };
    this.#interaction = this.#core.openInteraction(this.#client, false);
    const { capabilities: offered, info: serverInfo, options } = this.#core;
    const { instructions } = options;
    const mayMove = this.#project !== undefined && this.#client.capabilities.roots !== undefined;
    return {
      members: writeMembers({
        protocolVersion,
        capabilities: offered,
        serverInfo,
        ...(instructions !== undefined && {
          instructions: mayMove ? `${instructions} ${movesNote}` : instructions,
        }),
      }),
    };
  }

  #perform(call: LegacyCall): Reply | PromiseLike<Reply> {
    switch (call.method) {
      case "logging/setLevel":
        return this.#setLevel(call.params);
      case "resources/subscribe":
      case "resources/unsubscribe":
        return this.#subscribe(call);
      default: {
        const method = findMethod(this.#core, call.method);
        if (method === undefined) throw methodNotFound(call.method, false);
        return this.#project === undefined
          ? method(this.#core, call)
          : this.#inProject(this.#project, call, method);
      }
    }
  }

  async #inProject(project: SessionProject, call: LegacyCall, method: Method<ServerCore>): Promise<Reply> {
    const { server, note, leave } = await project.enter(call);
    try {
      const core = server === undefined ? this.#home : getCore(server);
      if (core !== this.#core) this.#moveTo(core, call);
      call.interaction = this.#interaction;
      call.note = note;
      return await method(core, call);
    } finally {
      leave?.();
    }
  }

  #moveTo(core: ServerCore, call: LegacyCall): void {
    this.#core = core;
    this.#interaction = core.openInteraction(this.client, false);
    this.#stopListening?.();
    this.#stopListening = undefined;
    this.#listen();
    if (call.method !== "tools/list") call.notify("notifications/tools/list_changed", {});
  }

  #setLevel({ level }: Params): Reply {
    if (!isLogLevel(level))
      throw invalidParams(`Cannot set the log level: it must be one of ${logLevels.join(", ")}`);
    this.#logLevel = level;
    return nothing;
  }

  #subscribe(call: LegacyCall): Reply {
    if (this.#core.resources?.onUpdate === undefined) throw methodNotFound(call.method, false);
    const uri = readUri(call);
    if (call.method === "resources/unsubscribe") this.#uris.delete(uri);
    else if (this.#uris.size >= mostSubscriptions) {
      throw invalidParams(
        `Cannot subscribe to "${uri.slice(0, 500)}": a session has at most ${mostSubscriptions} subscriptions`,
      );
    } else this.#uris.add(uri);
    return nothing;
  }

  #listen(): void {
    if (!this.#initialized || this.#standing === undefined || this.#stopListening !== undefined) return;
    this.#stopListening = this.#core.changes.listen((change) => this.#tell(change));
  }

  #endStanding(): void {
    this.#standing = undefined;
    this.#stopListening?.();
    this.#stopListening = undefined;
  }

  #tell(change: Change): void {
    if (change.type === "resource" && !this.#uris.has(change.uri)) return;
    const { method, params } = toNotification(change);
    this.#standing?.send(notificationText(method, params));
  }
}
