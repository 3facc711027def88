import { randomBytes } from "node:crypto";
import {
  getErrorCode,
  getErrorMessage,
  isRecord,
  type MaybePromise,
  parseJson,
  RecentMap,
} from "../../base/index.ts";
import type { CallContext, ToolExecutor, ToolFailure, ToolLimits, ToolRegistry } from "../../kernel/index.ts";
import { type AgentQueries, type QueryTarget, unknownSession } from "./agent-queries.ts";
import { Conversation } from "./conversation.ts";
import {
  type ContextRequest,
  type DispatchAnswer,
  type DispatchRequest,
  mayBeDispatch,
  type OperatorAnswer,
  type OperatorCode,
  OperatorFault,
  type OperatorRequest,
  type QueryAnswer,
  type QueryOutcome,
  type QueryRequest,
  readRequest,
  type StreamLine,
  type ToolAnswer,
  type ToolRequest,
} from "./operator-messages.ts";

export interface OperatorOptions {
  readonly registry: Pick<ToolRegistry, "has">;
  readonly executor: Pick<ToolExecutor, "run" | "toolset">;
  /** The bounds and the scope of every call. */
  readonly context: CallContext;
  /** Waited for before tools are named. @default nothing */
  readonly ready?: () => MaybePromise<void>;
  /** Whether there is such an agent. @default any name is one */
  readonly hasAgent?: (agentID: string) => boolean;
  /** Runs agents. @default none are run: only their calls are taken */
  readonly queries?: AgentQueries;
}

/** A caller, which is sent the events of its streamed queries. */
export interface OperatorCaller {
  /** Tells callers apart: the conversations of one are not another's. @default "socket" for connections, else "http" */
  readonly name?: string;
  /** @default nobody is told */
  readonly emit?: (line: StreamLine) => void;
}

/** Who may call what: one connection of a socket, or what a dispatch over HTTP began. */
interface OperatorSession {
  readonly id: string;
  /** Whether it is a connection's, or began with a dispatch or a query to this process. */
  readonly isOpen: boolean;
  agentID: string | undefined;
  /** What the dispatch left of the tools that the installation and the agent have. */
  limits: readonly ToolLimits[];
  running: number;
}

/** A request under way: its session and its caller. */
interface Asked {
  readonly session: OperatorSession;
  readonly signal: AbortSignal;
  readonly caller: Required<OperatorCaller>;
}

/** An answer that is under way: what came before it was done in its order. */
interface Begun {
  readonly answer: Promise<OperatorAnswer>;
}

const mostRunning = 16;
/** The most sessions over HTTP, where nothing tells that one is over. */
const mostSessions = 1_000;

/** Answers the requests of an operator: a program that runs agents, and calls haft's tools for them. */
export class Operator {
  readonly #options: OperatorOptions;
  /** Sessions by caller and id. */
  readonly #sessions = new RecentMap<string, OperatorSession>(mostSessions);
  /** The session for callers that named none. */
  readonly #common = createSession();

  constructor(options: OperatorOptions) {
    this.#options = options;
  }

  /**
   * A conversation of its own, which no other request can join. Its requests are taken in their order.
   *
   * @param onEnd called once a dispatch has failed: nothing that comes later is done
   */
  connect(
    onEnd: () => void = () => {},
  ): (text: string, signal: AbortSignal, caller?: OperatorCaller) => Promise<OperatorAnswer> {
    const session = createSession();
    const conversation = new Conversation(onEnd);
    return (text, signal, { name = "socket", emit = () => {} } = {}) =>
      answerFaults(text, async () => {
        const request = readInConversation(text, conversation);
        const begun = await conversation.take(request, async () => {
          const { sessionID = session.id } = request;
          const named = sessionID === session.id ? session : findStored(request, sessionID);
          return this.#perform(request, { session: named, signal, caller: { name, emit } });
        });
        return begun.answer;
      });
  }

  /** One request that stands for itself, or in the session that it names. Never rejects. */
  answer(
    text: string,
    signal: AbortSignal,
    { name = "http", emit = () => {} }: OperatorCaller = {},
  ): Promise<OperatorAnswer> {
    return answerFaults(text, async () => {
      const request = readRequest(text);
      const session = this.#sessionFor(request, name);
      const begun = await this.#perform(request, { session, signal, caller: { name, emit } });
      return begun.answer;
    });
  }

  /** Releases the queries under way, to be resumed later. */
  async close(): Promise<void> {
    await this.#options.queries?.close();
  }

  #sessionFor(request: OperatorRequest, caller: string): OperatorSession {
    const { type, sessionID, id } = request;
    if (sessionID === undefined) {
      if (type === "send_context_request")
        throw new OperatorFault("INVALID_REQUEST", 'Cannot take the request: "sessionID" is missing', id);
      return type === "tool" ? this.#common : this.#begin(caller);
    }
    const key = `${caller}/${sessionID}`;
    const session = this.#sessions.get(key);
    if (session === undefined) return findStored(request, sessionID);
    this.#sessions.set(key, session);
    return session;
  }

  /** Does what has to be done in order, and begins the rest. */
  async #perform(request: OperatorRequest, asked: Asked): Promise<Begun> {
    switch (request.type) {
      case "tool":
        return { answer: this.#call(asked.session, request, asked.signal) };
      case "query":
        return { answer: this.#query(request, asked) };
      case "send_context_request":
        return { answer: this.#describe(request, asked) };
      case "dispatch": {
        const dispatched = await this.#dispatch(asked.session, request);
        const { prompt } = request;
        if (prompt === undefined) return { answer: Promise.resolve(dispatched) };
        if (request.stream) asked.caller.emit(dispatched);
        return { answer: this.#start(dispatched, { ...request, prompt }, asked) };
      }
      default:
        return request satisfies never;
    }
  }

  #begin(caller: string): OperatorSession {
    const session = createSession();
    this.#sessions.set(`${caller}/${session.id}`, session);
    return session;
  }

  async #dispatch(
    session: OperatorSession,
    { id, agentID, tools }: DispatchRequest,
  ): Promise<DispatchAnswer> {
    const { registry, executor, ready, hasAgent = () => true } = this.#options;
    await ready?.();
    if (!hasAgent(agentID))
      throw new OperatorFault(
        "AGENT_NOT_FOUND",
        `Cannot dispatch "${agentID}": there is no such agent; name one that a configuration, a rule or an agent's file names`,
        id,
      );
    session.agentID = agentID;
    session.limits =
      tools === undefined ? noLimits : [{ by: "the dispatch (context.tools)", allowedTools: tools }];
    const toolset = executor.toolset(this.#toContext(session));
    return {
      type: "dispatched",
      ...withId({ id }),
      sessionID: session.id,
      agentID,
      tools: toolset.usable().map(({ name }) => name),
      unknown: (tools ?? []).filter((name) => !registry.has(name)),
    };
  }

  /** Runs the agent that was dispatched. */
  async #start(
    dispatched: DispatchAnswer,
    request: DispatchRequest & { readonly prompt: string },
    asked: Asked,
  ): Promise<DispatchAnswer | QueryAnswer> {
    const outcome = await this.#ask(request, asked);
    return request.stream ? { type: "done", ...withId(request), ...outcome } : { ...dispatched, ...outcome };
  }

  async #query(request: QueryRequest, asked: Asked): Promise<QueryAnswer> {
    const outcome = await this.#ask(request, asked);
    return { type: request.stream ? "done" : "query_result", ...withId(request), ...outcome };
  }

  #ask(
    request: (QueryRequest | DispatchRequest) & { readonly prompt: string },
    { session, signal, caller }: Asked,
  ): Promise<QueryOutcome> {
    const line = { ...withId(request), sessionID: session.id };
    return this.#withQueries(request, (queries) =>
      queries.query(toTarget(session, caller), request, {
        signal,
        emit: request.stream ? (event) => caller.emit({ ...line, ...event }) : () => {},
      }),
    );
  }

  async #describe(request: ContextRequest, { session, caller }: Asked): Promise<OperatorAnswer> {
    const target = toTarget(session, caller);
    const described = await this.#withQueries(request, (queries) => queries.describe(target));
    return { type: "context", ...withId(request), ...described };
  }

  /** @throws {OperatorFault} with the id of the request */
  async #withQueries<Result>(
    { id }: OperatorRequest,
    use: (queries: AgentQueries) => Promise<Result>,
  ): Promise<Result> {
    const { queries } = this.#options;
    if (queries === undefined)
      throw new OperatorFault(
        "INVALID_REQUEST",
        "Cannot run an agent: nothing here does; `haft serve` does",
        id,
      );
    try {
      return await use(queries);
    } catch (thrown) {
      throw thrown instanceof OperatorFault ? new OperatorFault(thrown.code, thrown.message, id) : thrown;
    }
  }

  async #call(session: OperatorSession, request: ToolRequest, signal: AbortSignal): Promise<ToolAnswer> {
    const { executor } = this.#options;
    const { id, name, input } = request;
    if (session.running >= mostRunning) {
      const message = `Cannot call "${name}": ${mostRunning} calls of this session run already; wait for one to end`;
      throw new OperatorFault("RATE_LIMIT_EXCEEDED", message, id);
    }
    session.running++;
    try {
      const call = {
        ...this.#toContext(session),
        origin: { channel, session: session.id, ...(id !== undefined && { id }) },
        signal,
      };
      const result = await executor.run(name, input, call);
      const answer = { type: "tool_result", id: id ?? result.callId } as const;
      return result.success ? { ...answer, content: result.text } : { ...answer, ...toFailure(result) };
    } finally {
      session.running--;
    }
  }

  /** What a dispatch names can only be less than what the installation allows. */
  #toContext({ agentID, limits }: OperatorSession): CallContext {
    const { context } = this.#options;
    return {
      ...context,
      ...(agentID !== undefined && { agentId: agentID }),
      limits: context.limits === undefined ? limits : [...context.limits, ...limits],
      origin: { channel },
    };
  }
}

const channel = "operator";
const noLimits: readonly ToolLimits[] = [];

const codeOfFailure: Readonly<Record<string, OperatorCode>> = {
  TOOL_NOT_FOUND: "TOOL_NOT_AVAILABLE",
  TOOL_NOT_CALLABLE: "TOOL_NOT_AVAILABLE",
  TOOL_QUARANTINED: "TOOL_NOT_AVAILABLE",
  TOOL_VALIDATION: "INVALID_REQUEST",
  TOOL_BUSY: "RATE_LIMIT_EXCEEDED",
};

function toFailure({ error, code, partial = "" }: ToolFailure): Omit<ToolAnswer, "type" | "id"> {
  return { content: partial, error, code: codeOfFailure[code] ?? "TOOL_EXECUTION_FAILED", cause: code };
}

/** What could not be read may have been a dispatch, unless it says that it is something else. */
function readInConversation(text: string, conversation: Conversation): OperatorRequest {
  try {
    return readRequest(text);
  } catch (thrown) {
    if (mayBeDispatch(text)) conversation.end();
    throw thrown;
  }
}

/** Never rejects: a store that is busy or full must not end the connection, and with it the calls of others. */
async function answerFaults(text: string, answer: () => Promise<OperatorAnswer>): Promise<OperatorAnswer> {
  try {
    return await answer();
  } catch (thrown) {
    if (thrown instanceof OperatorFault) {
      const { code, message: error, id } = thrown;
      return { type: "error", ...withId({ id }), error, code };
    }
    const given = parseJson(text);
    const { id } = isRecord(given) ? given : {};
    return {
      type: "error",
      ...(typeof id === "string" && { id }),
      error: getErrorMessage(thrown),
      code: "TOOL_EXECUTION_FAILED",
      cause: getErrorCode(thrown) ?? "INTERNAL",
    };
  }
}

/**
 * A session that is not open here, by its id: its conversation may be in the store. Calls and dispatches need an open
 * one, since what it may call is known of no other.
 *
 * @throws {OperatorFault} SESSION_NOT_FOUND
 */
function findStored({ type, id }: OperatorRequest, sessionID: string): OperatorSession {
  if (type === "query" || type === "send_context_request")
    return { ...createSession(sessionID), isOpen: false };
  throw unknownSession(sessionID, id);
}

function toTarget(
  { id, isOpen, agentID, limits }: OperatorSession,
  caller: Required<OperatorCaller>,
): QueryTarget {
  return { caller: caller.name, id, isOpen, agentID, allowedTools: limits[0]?.allowedTools };
}

function withId({ id }: { readonly id: string | undefined }): { readonly id?: string } {
  return id === undefined ? {} : { id };
}

function createSession(id: string = randomBytes(12).toString("base64url")): OperatorSession {
  return { id, isOpen: true, agentID: undefined, limits: noLimits, running: 0 };
}
