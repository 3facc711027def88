import { randomBytes } from "node:crypto";
import { type MaybePromise, RecentMap } from "../../base/index.ts";
import type { CallContext, ToolExecutor, ToolFailure, ToolLimits, ToolRegistry } from "../../kernel/index.ts";
import { Conversation } from "./conversation.ts";
import {
  type DispatchAnswer,
  type DispatchRequest,
  mayBeDispatch,
  type OperatorAnswer,
  type OperatorCode,
  OperatorFault,
  type OperatorRequest,
  readRequest,
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
}

/** Who may call what: one connection of a socket, or what a dispatch over HTTP began. */
interface OperatorSession {
  readonly id: string;
  agentID: string | undefined;
  /** What the dispatch left of the tools that the installation and the agent have. */
  limits: readonly ToolLimits[];
  running: number;
}

const mostRunning = 16;
/** The most sessions over HTTP, where nothing tells that one is over. */
const mostSessions = 1_000;

/** Answers the requests of an operator: a program that runs agents, and calls haft's tools for them. */
export class Operator {
  readonly #options: OperatorOptions;
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
  connect(onEnd: () => void = () => {}): (text: string, signal: AbortSignal) => Promise<OperatorAnswer> {
    const session = createSession();
    const conversation = new Conversation(onEnd);
    return (text, signal) =>
      answerFaults(() => {
        const request = readInConversation(text, conversation);
        return conversation.take(request, async () => {
          const { sessionID, id } = request;
          if (sessionID !== undefined && sessionID !== session.id) throw unknownSession(sessionID, id);
          return this.#perform(session, request, signal);
        });
      });
  }

  /** One request that stands for itself, or in the session that it names. Never rejects. */
  answer(text: string, signal: AbortSignal): Promise<OperatorAnswer> {
    return answerFaults(async () => {
      const request = readRequest(text);
      return this.#perform(this.#sessionFor(request), request, signal);
    });
  }

  #sessionFor({ type, sessionID, id }: OperatorRequest): OperatorSession {
    if (sessionID === undefined) return type === "tool" ? this.#common : this.#begin();
    const session = this.#sessions.get(sessionID);
    if (session === undefined) throw unknownSession(sessionID, id);
    this.#sessions.set(sessionID, session);
    return session;
  }

  #perform(session: OperatorSession, request: OperatorRequest, signal: AbortSignal): Promise<OperatorAnswer> {
    return request.type === "dispatch"
      ? this.#dispatch(session, request)
      : this.#call(session, request, signal);
  }

  #begin(): OperatorSession {
    const session = createSession();
    this.#sessions.set(session.id, session);
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
      ...(id !== undefined && { id }),
      sessionID: session.id,
      agentID,
      tools: toolset.usable().map(({ name }) => name),
      unknown: (tools ?? []).filter((name) => !registry.has(name)),
    };
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

async function answerFaults(answer: () => Promise<OperatorAnswer>): Promise<OperatorAnswer> {
  try {
    return await answer();
  } catch (thrown) {
    if (!(thrown instanceof OperatorFault)) throw thrown;
    return toFault(thrown);
  }
}

function toFault({ code, message, id }: OperatorFault): OperatorAnswer {
  return { type: "error", ...(id !== undefined && { id }), error: message, code };
}

function unknownSession(sessionID: string, id: string | undefined): OperatorFault {
  const message = `Cannot go on with the session "${sessionID}": there is none, or not any more; dispatch the agent again`;
  return new OperatorFault("SESSION_NOT_FOUND", message, id);
}

function createSession(): OperatorSession {
  return { id: randomBytes(12).toString("base64url"), agentID: undefined, limits: noLimits, running: 0 };
}
