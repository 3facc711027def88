import { type Clock, createIdSource, systemClock } from "../base/index.ts";
import type { CallContext, ToolExecutor, ToolRegistry } from "../kernel/index.ts";
import type { ChatModel, ChatRequest, ImagePart, TextPart } from "../model/index.ts";
import type { Entry } from "../modules/sessions/index.ts";
import { describeTools } from "./describe-tools.ts";
import { findTool } from "./find-tool.ts";
import type { AgentEvent, RunEnd } from "./loop/events.ts";
import { Interrupts } from "./loop/interrupts.ts";
import { MemoryJournal, type Prefix } from "./loop/journal.ts";
import { Recall, type RecallParts } from "./loop/recall.ts";
import { type LoopParts, runLoop } from "./loop/run-loop.ts";

/** The parts of an agent in a program. */
export interface AgentOptions {
  readonly model: ChatModel;
  /** The gate: each call that the model wants goes through it. */
  readonly executor: Pick<ToolExecutor, "run" | "toolset" | "recall">;
  /** Writes the tools in the form of the model. It is that of the executor. */
  readonly tools: Pick<ToolRegistry, "toLLMTool" | "fromLLMArguments" | "get" | "resolveName">;
  /** The model's instructions. @default nothing */
  readonly instructions?: string;
  /** The context of every call: its caller, its bounds, and who is asked. @default no bounds, so nothing is allowed */
  readonly context?: CallContext;
  /** The most answers of one turn, 1 or more; then it pauses. @default 100 */
  readonly maxSteps?: number;
  readonly effort?: ChatRequest["effort"];
  readonly clock?: Clock;
}

/** How one message is sent. */
export interface SendOptions {
  /** Told what happens, as it happens. Must not throw. */
  readonly onEvent?: (event: AgentEvent) => void;
  /** Interrupts the turn: its request and calls are ended, and the next message goes on from there. */
  readonly signal?: AbortSignal;
}

/** An agent in a program: one conversation, in memory. */
export interface Agent {
  /** What was said and done, in order. */
  readonly entries: readonly Entry[];
  /**
   * Sends a message, and resolves once the agent has answered or can't go on by itself. A message sent during a turn is
   * read at its next step, and both promises resolve together.
   */
  send(message: string | readonly (TextPart | ImagePart)[], options?: SendOptions): Promise<RunEnd>;
}

/**
 * An agent that lives in one program and forgets with it: a model, a gate and its tools. The loop is that of `haft chat`;
 * sessions that survive the program are in the store.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry({ format: toTargetTool });
 * registry.register(
 *   defineTool({
 *     name: "add",
 *     description: "Add two numbers.",
 *     parameters: z.object({ a: z.number(), b: z.number() }),
 *     annotations: { readOnly: true, openWorld: false },
 *     execute: ({ a, b }) => a + b,
 *   }),
 * );
 * const model = createScriptedChat([{ calls: [{ name: "add", input: { a: 2, b: 3 } }] }, "It is 5."]);
 * const agent = createAgent({ model, tools: registry, executor: new ToolExecutor(registry) });
 * const end = await agent.send("What is 2 + 3?");
 * end.state === "completed" && end.text; // → "It is 5."
 * ```
 */
export function createAgent(options: AgentOptions): Agent {
  return new MemoryAgent(options);
}

/** Not an object with a getter: each of those is a class to V8, which kept a conversation until the next full collection. */
class MemoryAgent implements Agent {
  readonly #options: AgentOptions;
  readonly #clock: Clock;
  readonly #newId: ReturnType<typeof createIdSource>;
  #journal: MemoryJournal;
  /** How far the gate was told of the conversation. */
  #told = 0;
  #underWay: Promise<RunEnd> | undefined;

  constructor(options: AgentOptions) {
    const { clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#newId = createIdSource(() => clock.now());
    const sessionId = this.#newId("s");
    this.#journal = new MemoryJournal({ runId: this.#newId("run"), sessionId, clock });
  }

  get entries(): readonly Entry[] {
    return this.#journal.entries;
  }

  send(message: string | readonly (TextPart | ImagePart)[], options: SendOptions = {}): Promise<RunEnd> {
    const parts = typeof message === "string" ? [{ type: "text" as const, text: message }] : message;
    if (this.#underWay === undefined) this.#beginRun();
    this.#journal.post({ sender: "user", parts });
    this.#underWay ??= this.#drive(options).finally(() => {
      this.#underWay = undefined;
    });
    return this.#underWay;
  }

  #beginRun(): void {
    this.#journal = this.#journal.next(this.#newId("run"));
  }

  async #drive({ onEvent = () => {}, signal }: SendOptions): Promise<RunEnd> {
    const interrupts = new Interrupts();
    const interrupt = () => interrupts.interrupt("the user");
    if (signal?.aborted === true) interrupt();
    signal?.addEventListener("abort", interrupt, { once: true });
    try {
      for (;;) {
        const end = await runLoop(this.#toLoop(interrupts, onEvent));
        // Messages sent after the turn last checked for new ones.
        if ((await this.#journal.waiting()).length === 0) return end;
        this.#beginRun();
      }
    } finally {
      signal?.removeEventListener("abort", interrupt);
    }
  }

  #toLoop(interrupts: Interrupts, emit: LoopParts["emit"]): LoopParts {
    const { model, executor, tools, context: ofCalls, maxSteps = 100, effort } = this.#options;
    const journal = this.#journal;
    const { dialect } = model.facts;
    const context = (): CallContext => ({ taskId: journal.runId, ...ofCalls });
    const readArguments = (name: string, given: unknown) => tools.fromLLMArguments(name, given, dialect);
    const gate: RecallParts["executor"] = {
      recall: (seen, caller, upTo) => {
        if (seen.length > 0) executor.recall(seen, caller);
        this.#told = upTo ?? 0;
      },
      recalledUpTo: () => this.#told,
    };
    return {
      journal,
      model,
      executor,
      makePrefix: async () => this.#makePrefix(),
      context,
      readArguments,
      recall: new Recall({ journal, executor: gate, context, readArguments }),
      interrupts,
      leave: never,
      emit,
      maxSteps,
      mayRepeat: (name) => findTool(tools, name)?.mayRepeat === true,
      clock: this.#clock,
      ...(effort !== undefined && { effort }),
    };
  }

  #makePrefix(): Prefix {
    const { model, executor, tools, instructions = "", context = {} } = this.#options;
    const shown = executor.toolset(context).shown();
    return {
      model: model.id,
      system: instructions === "" ? [] : [{ text: instructions, mark: true }],
      tools: describeTools(
        tools,
        shown.map(({ name }) => name),
        model.facts,
      ),
    };
  }
}

/** Never aborted: an agent in a program ends with the program. */
const never = new AbortController().signal;
