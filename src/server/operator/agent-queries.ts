import { Interrupts, type RunEnd } from "../../agent/index.ts";
import type { AgentHost } from "../../app/index.ts";
import type { Store } from "../../app/store/index.ts";
import { CodedError, isRecord, type MaybePromise } from "../../base/index.ts";
import { type CallContext, defaultAgent } from "../../kernel/index.ts";
import type { Run, Session } from "../../modules/sessions/index.ts";
import {
  type ContextAnswer,
  OperatorFault,
  type QueryOutcome,
  type StreamEvent,
} from "./operator-messages.ts";
import { nothingUsed, QueryReport, toOutcome } from "./query-report.ts";

/** Services of an installation that queries use. */
export interface QueryServices {
  /** The agents at work. */
  agent(): Promise<AgentHost>;
  store(): Promise<Store>;
  /** The bounds and the scope of every call. If it names an agent, no other can be asked. */
  readonly context: CallContext;
  /** Resolves when agents can be looked up. */
  readonly ready: () => MaybePromise<void>;
  /** Whether there is such an agent. */
  readonly hasAgent: (agentID: string) => boolean;
}

/** The conversation that a query is for. */
export interface QueryTarget {
  /** Who asks. A conversation is found again only by the caller that began it. */
  readonly caller: string;
  /** The id of the operator's session. */
  readonly id: string;
  /** Whether that session is open; otherwise it has to be in the store. */
  readonly isOpen: boolean;
  /** The agent that was dispatched. */
  readonly agentID: string | undefined;
  /** The only tools that the dispatch allows. */
  readonly allowedTools: readonly string[] | undefined;
}

/** One message to an agent. */
export interface AgentQuery {
  readonly agentID: string | undefined;
  readonly prompt: string;
}

/** The caller that waits for the outcome of a query. */
export interface QueryListener {
  /** Aborted when the caller goes away, which interrupts the agent. */
  readonly signal: AbortSignal;
  readonly emit: (event: StreamEvent) => void;
}

/** The channel of sessions that operators began. No other channel's can be reached from the wire. */
const channel = "operator";
/** Maximum number of queries at once. */
const mostRunning = 16;

/** Runs agents for operators. Each session of an operator has one conversation of one agent, kept in the store. */
export class AgentQueries {
  readonly #services: QueryServices;
  readonly #busy = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  constructor(services: QueryServices) {
    this.#services = services;
  }

  /** @throws {OperatorFault} AGENT_NOT_FOUND, INVALID_REQUEST, RATE_LIMIT_EXCEEDED, SESSION_NOT_FOUND */
  async query(target: QueryTarget, query: AgentQuery, listener: QueryListener): Promise<QueryOutcome> {
    const address = toAddress(target);
    if (this.#busy.has(address)) throw busy();
    if (this.#running.size >= mostRunning)
      throw new OperatorFault(
        "RATE_LIMIT_EXCEEDED",
        `Cannot take the query: ${mostRunning} queries run already; wait for one to end`,
      );
    this.#busy.add(address);
    const answering = this.#answer(target, query, listener);
    this.#running.add(answering);
    try {
      return await answering;
    } finally {
      this.#running.delete(answering);
      this.#busy.delete(address);
    }
  }

  /**
   * Describes what the agent of a session is shown.
   *
   * @throws {OperatorFault} SESSION_NOT_FOUND
   */
  async describe(target: QueryTarget): Promise<Omit<ContextAnswer, "type" | "id">> {
    const session = await this.#find(target);
    const sessionID = target.id;
    const agentID = session?.agentId ?? target.agentID ?? this.#defaultAgent;
    if (session === undefined) {
      if (!target.isOpen) throw unknownSession(sessionID);
      return {
        sessionID,
        agentID,
        sizes: { instructions: 0, tools: 0, entries: 0, request: 0 },
        entries: [],
      };
    }
    const { describeView } = await import("../../app/views/index.ts");
    const { run, ...view } = await describeView(await this.#services.store(), session);
    if (run === undefined) return { sessionID, agentID, ...view };
    const { id: runID, ...state } = run;
    return { sessionID, agentID, run: { runID, ...state }, ...view };
  }

  /** Releases the runs to the next process that works in the background for the folder, and waits until that is done. */
  async close(): Promise<void> {
    this.#closing.abort(closing());
    await Promise.allSettled(this.#running);
  }

  get #defaultAgent(): string {
    return this.#services.context.agentId ?? defaultAgent;
  }

  async #answer(
    target: QueryTarget,
    query: AgentQuery,
    { signal, emit }: QueryListener,
  ): Promise<QueryOutcome> {
    const session = await this.#find(target);
    if (session === undefined && !target.isOpen) throw unknownSession(target.id);
    const agentID = await this.#chooseAgent(target, query, session);
    const report = new QueryReport(emit);
    const outcome = { sessionID: target.id, agentID };
    const host = await this.#services.agent();
    let run: Run | undefined;
    try {
      this.#closing.signal.throwIfAborted();
      if (session !== undefined) await this.#requireIdle(session);
      if (signal.aborted)
        return { ...outcome, content: "", turns: 0, usage: nothingUsed, stopReason: "interrupted" };
      run = await this.#begin(host, target, { ...query, agentID, session });
      const end = await this.#drive(host, run, { signal, report });
      const { turns, usage } = report;
      return { ...outcome, runID: run.id, ...toOutcome(end, report.text), turns, usage };
    } catch (thrown) {
      if (run !== undefined && thrown === this.#closing.signal.reason) await host.queue(run);
      if (thrown instanceof OperatorFault || !(thrown instanceof CodedError)) throw thrown;
      if (thrown.code === "AGENT_UNKNOWN") throw new OperatorFault("AGENT_NOT_FOUND", thrown.message);
      const { code: cause, message: error } = thrown;
      // A run whose model can't be reached resumes later; another process has a run that was lost.
      if (run !== undefined && !cause.startsWith("CONNECT_") && cause !== "RUN_LOST")
        await host.fail(run, { code: cause, text: error });
      return {
        ...outcome,
        ...(run !== undefined && { runID: run.id }),
        content: "",
        turns: report.turns,
        usage: report.usage,
        stopReason: "failed",
        error,
        code: "TOOL_EXECUTION_FAILED",
        cause,
      };
    }
  }

  /** Stores the message and the run that answers it. */
  async #begin(
    host: AgentHost,
    target: QueryTarget,
    {
      prompt,
      agentID,
      session,
    }: { readonly prompt: string; readonly agentID: string; readonly session: Session | undefined },
  ): Promise<Run> {
    const allowedTools = await this.#readAllowed(target, session);
    return host.begin({
      parts: [{ type: "text", text: prompt }],
      channel,
      agentId: agentID,
      ...(session === undefined ? { address: toAddress(target) } : { sessionId: session.id }),
      ...(allowedTools !== undefined && { allowedTools }),
    });
  }

  async #drive(
    host: AgentHost,
    run: Run,
    { signal, report }: { readonly signal: AbortSignal; readonly report: QueryReport },
  ): Promise<RunEnd> {
    const interrupts = new Interrupts();
    const interrupt = () => interrupts.interrupt("the operator");
    if (signal.aborted) interrupt();
    signal.addEventListener("abort", interrupt, { once: true });
    try {
      const end = await host.drive(run, {
        emit: report.hear,
        interrupts,
        leave: this.#closing.signal,
        // A question parks the run, which goes on in the background once it is answered.
        inBackground: true,
      });
      if (end !== undefined) return end;
    } finally {
      signal.removeEventListener("abort", interrupt);
    }
    await host.abandon(run);
    throw busy(" and reads the prompt at its next step");
  }

  /** The conversation of a session; undefined before its first query. */
  async #find(target: QueryTarget): Promise<Session | undefined> {
    const { sessions } = await this.#services.store();
    const { agentID: agentId } = target;
    const [found] = await sessions.list({
      scope: this.#scope,
      channel,
      address: toAddress(target),
      limit: 1,
      ...(agentId !== undefined && { agentId }),
    });
    return found;
  }

  async #chooseAgent(
    { agentID: dispatched }: QueryTarget,
    { agentID: named }: AgentQuery,
    session: Session | undefined,
  ): Promise<string> {
    const own = session?.agentId ?? dispatched;
    if (own !== undefined && named !== undefined && own !== named)
      throw new OperatorFault(
        "INVALID_REQUEST",
        `Cannot ask the agent "${named}": the session is that of "${own}"; dispatch the other one, or begin a session of its own`,
      );
    await this.#services.ready();
    const agentID = own ?? named ?? this.#defaultAgent;
    if (agentID === this.#defaultAgent || this.#services.hasAgent(agentID)) return agentID;
    throw new OperatorFault(
      "AGENT_NOT_FOUND",
      `Cannot ask the agent "${agentID}": there is no such agent; name one that a configuration, a rule or an agent's file names`,
    );
  }

  /** The tools that the dispatch allows: those of the newest run if the session is known only from the store. */
  async #readAllowed(
    { isOpen, allowedTools }: QueryTarget,
    session: Session | undefined,
  ): Promise<readonly string[] | undefined> {
    if (isOpen || session === undefined) return allowedTools;
    const { runs } = await this.#services.store();
    const [newest] = await runs.list({ scope: this.#scope, sessionId: session.id, limit: 1 });
    const kept = isRecord(newest?.settings) ? newest.settings["allowedTools"] : undefined;
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : undefined;
  }

  /** @throws {OperatorFault} RATE_LIMIT_EXCEEDED: a process has a run of the session. */
  async #requireIdle({ id: sessionId }: Session): Promise<void> {
    const { runs } = await this.#services.store();
    const running = await runs.list({ scope: this.#scope, sessionId, states: ["running"] });
    if (running.some(({ leaseUntil = 0 }) => leaseUntil > Date.now())) throw busy();
  }

  get #scope(): string {
    return this.#services.context.scope ?? "local";
  }
}

/** The place of a conversation in the channel of operators. */
function toAddress({ caller, id }: Pick<QueryTarget, "caller" | "id">): string {
  return `${caller}/${id}`;
}

function busy(more = ""): OperatorFault {
  return new OperatorFault(
    "RATE_LIMIT_EXCEEDED",
    `Cannot take the query: a query of this session is under way${more}; wait for its end`,
  );
}

/** The fault of a session that is not the caller's. It does not say whether anybody else has it. */
export function unknownSession(sessionID: string, id?: string): OperatorFault {
  const message = `Cannot go on with the session "${sessionID}": there is none, or not any more; dispatch the agent again`;
  return new OperatorFault("SESSION_NOT_FOUND", message, id);
}

function closing(): OperatorFault {
  return new OperatorFault(
    "TOOL_EXECUTION_FAILED",
    "Cannot go on with the query now: this haft ends. What has begun goes on once one works for this folder again: `send_context_request` tells how it ended",
  );
}
