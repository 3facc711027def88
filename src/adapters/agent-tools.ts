import { canonicalJson, createIdSource, RecentMap, systemClock } from "../base/index.ts";
import {
  type Approval,
  type ApprovalAnswer,
  type Approver,
  type AskedCall,
  type CallContext,
  type JsonSchema,
  NobodyThereError,
  selectionToolNames,
  type ToolExecutor,
  type ToolInfo,
  type ToolRegistry,
  type ToolResult,
  type ToolUpdate,
} from "../kernel/index.ts";

/** What the adapters need of an installation. `createApp` returns one; a registry and its executor are enough. */
export interface ToolHost {
  readonly registry: Pick<ToolRegistry, "toLLMTool" | "fromLLMArguments">;
  readonly executor: Pick<ToolExecutor, "toolset" | "foresee" | "run">;
  /** Context of every call: its folders, hosts and scope. @default none: a call may touch nothing unasked */
  readonly context?: CallContext;
  /** Tools of files and MCP servers, which are waited for before the tools are listed. */
  readonly sources?: { readonly listed: () => Promise<void> | undefined };
}

/** Which tools a framework is given, and what its calls are made with. */
export interface AdapterOptions {
  /** Names and globs of the tools to offer, and the only ones that a call may reach. @default all but those that find tools */
  readonly tools?: readonly string[];
  /** Added to the context of every call: the user, the session, the agent, another mode. */
  readonly context?: CallContext;
  /** Who answers the framework's approvals, as haft records it: `app:ada`. @default the framework's name and `:person` */
  readonly answeredBy?: string;
}

/** One tool as a model is told of it. */
export interface OfferedTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly info: ToolInfo;
}

/** What a framework says of one call of a tool. */
export interface FrameworkCall {
  readonly name: string;
  readonly args: unknown;
  /** The framework's id of the call. haft's own id of the call ends with it. */
  readonly id?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onUpdate?: ((update: ToolUpdate) => void) | undefined;
}

/** A person's answer, without who gave it. */
export type GivenAnswer =
  | { readonly approved: true }
  | { readonly approved: false; readonly reason?: string | undefined };

/** A question that a framework put to its person. */
interface AskedAbout {
  readonly args: string;
  readonly fingerprint: string;
}

/** A framework's id is part of an id in the ledger, so it must not be longer. */
const maxIdChars = 100;

/** Providers give the same ids again, `call_0` for one: what is undone or looked up later needs an id that no other call has. */
const newId = createIdSource(() => systemClock.now());

/** Questions of one adapter that may be open at once; the oldest is forgotten first, and asked again. */
const mostAsked = 1000;

/**
 * The tools of an installation as one framework calls them. The framework asks its person itself: {@link asks} says
 * whether a call needs that, and {@link execute} brings the answer to the gate, for exactly the call that was asked about.
 */
export class AgentTools {
  readonly offered: readonly OfferedTool[];
  readonly #host: ToolHost;
  readonly #context: CallContext;
  readonly #channel: string;
  readonly #answeredBy: string;
  /** What the framework asked its person about, by call. */
  readonly #asked = new RecentMap<string, AskedAbout>(mostAsked);

  private constructor(channel: string, host: ToolHost, { tools, context, answeredBy }: AdapterOptions) {
    this.#host = host;
    this.#channel = channel;
    this.#answeredBy = answeredBy ?? `${channel}:person`;
    const limits = [...(host.context?.limits ?? []), ...(context?.limits ?? [])];
    if (tools !== undefined) limits.push({ by: `the tools given to ${channel}`, allowedTools: tools });
    this.#context = { ...host.context, ...context, limits };
    this.offered = this.#list(tools);
  }

  /** Lists the tools as they are now, once those of files and MCP servers are there. */
  static async open(channel: string, host: ToolHost, options: AdapterOptions): Promise<AgentTools> {
    await host.sources?.listed();
    return new AgentTools(channel, host, options);
  }

  /**
   * The call as a person has to be asked about it; undefined where the gate decides it without one, or refuses it. A
   * framework that goes on after an answer may ask again: what the person saw is what it asked about first.
   */
  async asks(call: FrameworkCall): Promise<AskedCall | undefined> {
    const key = toKey(call);
    const before = this.#asked.get(key);
    this.#asked.delete(key);
    try {
      const context = this.#toContext(call);
      const { asked } = await this.#host.executor.foresee(call.name, this.#toParams(call), context, {
        check: true,
      });
      if (asked !== undefined) {
        const args = canonicalJson(call.args);
        const seen = before?.args === args ? before.fingerprint : toFingerprint(asked);
        this.#asked.set(key, { args, fingerprint: seen });
      }
      return asked;
    } catch {
      return undefined; // The call fails without a question, and its result says why.
    }
  }

  /** Takes the call through the gate. A question that {@link asks} has foreseen gets `answer`; any other stays open. */
  execute(call: FrameworkCall, answer: GivenAnswer = { approved: true }): Promise<ToolResult> {
    const asked = this.#takeAsked(call) ?? this.#takeAsked({ ...call, id: undefined });
    const { signal, onUpdate } = call;
    return this.#host.executor.run(call.name, this.#toParams(call), {
      ...this.#toContext(call),
      callId: toCallId(call),
      approver: this.#toApprover(asked, answer),
      ...(signal !== undefined && { signal }),
      ...(onUpdate !== undefined && { onUpdate }),
    });
  }

  #takeAsked(call: FrameworkCall): string | undefined {
    const key = toKey(call);
    const asked = this.#asked.get(key);
    this.#asked.delete(key);
    return asked?.fingerprint;
  }

  #toApprover(asked: string | undefined, answer: GivenAnswer): Approver {
    const by = this.#answeredBy;
    return {
      identity: by,
      ask: async (approval) => {
        if (asked === undefined) throw new NobodyThereError(`${this.#channel} asked nobody about this call`);
        if (asked !== toFingerprint(approval))
          throw new NobodyThereError("the call would now do something other than what was approved");
        return toAnswer(answer, by);
      },
    };
  }

  #toContext({ id }: FrameworkCall): CallContext {
    const { origin } = this.#context;
    return {
      ...this.#context,
      origin: { ...origin, channel: this.#channel, ...(id !== undefined && { id }) },
    };
  }

  #toParams({ name, args }: FrameworkCall): unknown {
    return this.#host.registry.fromLLMArguments(name, args, target);
  }

  #list(named: readonly string[] = []): readonly OfferedTool[] {
    const { registry, executor } = this.#host;
    const isOffered = (name: string) => !selectionToolNames.includes(name) || named.includes(name);
    return executor
      .toolset(this.#context)
      .shown()
      .flatMap((info) => {
        const definition = isOffered(info.name) ? registry.toLLMTool(info.name, target) : undefined;
        if (definition === undefined) return [];
        const { name, description, parameters } = definition.function;
        return [{ name, description, parameters, info }];
      });
  }
}

/** The strictest form that every framework passes on to every model. */
const target = "openai";

function toCallId({ id }: FrameworkCall): string {
  const own = newId("c");
  return id === undefined ? own : `${own}.${id.slice(0, maxIdChars).replace(/[^\w:-]/g, "_")}`;
}

/** A call by its id; where the framework gives none before the call, by what it asks for. */
function toKey({ id, name, args }: FrameworkCall): string {
  return `${name} ${id ?? canonicalJson(args)}`;
}

/** Everything about the call that a person is shown. */
function toFingerprint(asked: AskedCall | Approval): string {
  const { toolName, toolTitle, toolVersion, params, effects, folder, scope, agentId, userId, project } =
    asked;
  const call = [toolName, toolTitle, toolVersion, params, effects];
  return canonicalJson([...call, folder, scope, agentId, userId, project]);
}

function toAnswer(answer: GivenAnswer, by: string): ApprovalAnswer {
  if (answer.approved) return { approved: true, by };
  return { approved: false, by, ...(answer.reason !== undefined && { reason: answer.reason }) };
}
