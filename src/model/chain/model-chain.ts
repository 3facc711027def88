import { type Clock, CodedError, getErrorMessage, pause, RecentMap, systemClock } from "../../base/index.ts";
import type { ChatEvent, ChatModel, ChatRequest } from "../chat-model.ts";
import { ModelError } from "../errors.ts";
import { type AnswerDeadlines, withDeadlines } from "./deadlines.ts";
import { ModelHealth } from "./model-health.ts";
import { nextStep } from "./next-step.ts";

/** How a chain of models is asked. */
export interface ModelChainOptions {
  readonly deadlines?: AnswerDeadlines;
  /** Whether another model is asked where the provider of one refuses. @default "stop" */
  readonly onRefusal?: "stop" | "fallback";
  /**
   * Called when a provider refuses the key or the name of a model and another of the chain is asked in its place: at
   * once, and then once an hour at most. Must not throw. @default nobody is told
   */
  readonly onSetupFault?: (error: ModelError) => void;
  readonly clock?: Clock;
  /** Random numbers from 0 up to 1, exclusive, that vary the waits. @default Math.random */
  readonly random?: () => number;
}

const hourMs = 3_600_000;

/** How many conversations that a fallback model answered are remembered. */
const maxConversations = 1000;

/**
 * Makes one model of several: the first is asked, with retries where they help, and then the others as fallbacks. A
 * `withdrawn` event takes back the pieces of an answer that failed. Errors that no other model can mend are thrown: a
 * request that is too long, or that the API does not take.
 *
 * A conversation, identified by its `cacheKey`, stays with the model that answered it until its user writes again.
 *
 * @throws {TypeError} The list of models is empty.
 *
 * @example
 * ```ts
 * const busy = new ModelError("MODEL_QUOTA", "No credit is left");
 * const main = createScriptedChat([busy], { id: "main", facts: { quota: "a" } });
 * const backup = createScriptedChat(["Here I am."], { id: "backup", facts: { quota: "b" } });
 * const { signal } = new AbortController();
 * const model = asModel(chainModels([main, backup]));
 * const answer = await model.complete({ messages: [{ role: "user", text: "hi" }], signal });
 * answer.text; // → "Here I am."
 * ```
 */
export function chainModels(models: readonly ChatModel[], options: ModelChainOptions = {}): ChatModel {
  return new ModelChain(models, options);
}

class ModelChain implements ChatModel {
  readonly id: string;
  readonly facts: ChatModel["facts"];
  readonly #models: readonly ChatModel[];
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #refusalFallsBack: boolean;
  readonly #onSetupFault: (error: ModelError) => void;
  /** When the owner was told of each model. */
  readonly #toldAt = new Map<string, number>();
  readonly #health: ModelHealth;
  readonly #stays = new RecentMap<string, number>(maxConversations);

  constructor(models: readonly ChatModel[], options: ModelChainOptions) {
    const { clock = systemClock, random = Math.random, deadlines, onRefusal = "stop" } = options;
    const { onSetupFault = () => undefined } = options;
    const [first] = models;
    if (first === undefined) throw new TypeError("A chain has at least one model");
    this.id = first.id;
    this.facts = first.facts;
    this.#models = models.map((model) => withDeadlines(model, deadlines, clock));
    this.#clock = clock;
    this.#random = random;
    this.#refusalFallsBack = onRefusal === "fallback";
    this.#onSetupFault = onSetupFault;
    this.#health = new ModelHealth(clock);
  }

  async *stream(request: ChatRequest): AsyncGenerator<ChatEvent, void, void> {
    request.signal.throwIfAborted();
    const left = this.#orderFor(request);
    let model = left.shift() as ChatModel;
    let first: unknown;
    for (let tries = 1; ; tries++) {
      let fault: unknown;
      const closedMs = this.#health.findQuotaRest(model.facts.quota);
      try {
        if (closedMs > 0) throw leftAlone(model.id, closedMs);
        yield* this.#ask(model, request, left.length === 0);
        return;
      } catch (thrown) {
        request.signal.throwIfAborted();
        fault = thrown;
        first ??= thrown;
      }
      const step = nextStep({
        error: fault,
        tries,
        isFallback: model.id !== this.id,
        refusalFallsBack: this.#refusalFallsBack,
        random: this.#random(),
      });
      if (step.do === "stop") throw fault;
      let waitMs = 0;
      let retry: Withdrawn["retry"];
      if (step.do === "again") {
        if (closedMs === 0) this.#health.noteFailure(model.id, undefined);
        waitMs = step.waitMs;
        retry = { number: tries, of: step.retries };
      } else {
        const { quota } = model.facts;
        // A closed quota is no failure of a model that was not asked.
        if (closedMs === 0) this.#health.noteFailure(model.id, step.restMs);
        if (step.quota && step.restMs !== undefined) this.#restQuota(model, fault, step.restMs);
        const at = left.findIndex((other) => !step.quota || other.facts.quota !== quota);
        if (at < 0) throw this.#giveUp(fault, first);
        this.#tellOwner(model.id, fault);
        left.splice(0, at);
        model = left.shift() as ChatModel;
        tries = 0;
      }
      yield withdrawn(fault, { next: model.id, waitMs, ...(retry !== undefined && { retry }) });
      await this.#wait(waitMs, request.signal);
    }
  }

  async *#ask(
    model: ChatModel,
    request: ChatRequest,
    isLast: boolean,
  ): AsyncGenerator<ChatEvent, void, void> {
    for await (const event of model.stream(request)) {
      if (event.type !== "end") {
        yield event;
        continue;
      }
      if (event.stop === "refused" && this.#refusalFallsBack && !isLast)
        throw new ModelError(
          "MODEL_REFUSED",
          `The provider of the model "${model.id}" keeps its answer back`,
        );
      this.#health.noteSuccess(model.id);
      this.#stay(model, request);
      yield { ...event, model: event.model ?? model.id };
    }
  }

  /** The models in the order in which they are asked; those that rest come last. */
  #orderFor({ cacheKey, messages }: ChatRequest): ChatModel[] {
    const isNew = cacheKey === undefined || messages.at(-1)?.role === "user";
    const stays = isNew ? 0 : (this.#stays.get(cacheKey) ?? 0);
    const order = [...this.#models.slice(stays), ...this.#models.slice(0, stays)];
    const isResting = ({ id, facts }: ChatModel) => this.#health.findRest(id, facts.quota) > 0;
    // The time is read once for each model: a rest that ends meanwhile must not lose it.
    const byRest = Map.groupBy(order, isResting);
    return [...(byRest.get(false) ?? []), ...(byRest.get(true) ?? [])];
  }

  /**
   * Lets the models of a quota rest: none is asked if the provider wants a pause. If it refuses the key, they are only asked
   * after all others, since the owner may correct the key at any time.
   */
  #restQuota(model: ChatModel, fault: unknown, restMs: number): void {
    const { quota } = model.facts;
    if (!isSetupFault(fault)) {
      this.#health.closeQuota(quota, restMs);
      return;
    }
    for (const { id, facts } of this.#models)
      if (facts.quota === quota && id !== model.id) this.#health.noteFailure(id, restMs);
  }

  /** Tells the owner, unless no other model is left: the caller then has the error. */
  #tellOwner(id: string, fault: unknown): void {
    if (!isSetupFault(fault)) return;
    const now = this.#clock.now();
    const before = this.#toldAt.get(id);
    if (before !== undefined && now - before < hourMs) return;
    this.#toldAt.set(id, now);
    this.#onSetupFault(fault);
  }

  #stay(model: ChatModel, { cacheKey }: ChatRequest): void {
    if (cacheKey === undefined) return;
    const at = this.#models.indexOf(model);
    if (at > 0) this.#stays.set(cacheKey, at);
    else this.#stays.delete(cacheKey);
  }

  /**
   * The error of the last model, with the time after which one of the models can be asked again. MODEL_CONTEXT of the
   * last may only mean that it reads less than the first: the first error is returned then.
   */
  #giveUp(last: unknown, first: unknown): unknown {
    const fault = last instanceof ModelError && last.code === "MODEL_CONTEXT" ? first : last;
    const rests = this.#models.map(({ facts }) => this.#health.findQuotaRest(facts.quota));
    const closed = rests.filter((rest) => rest > 0);
    if (!(fault instanceof ModelError) || closed.length === 0) return fault;
    const soonest = Math.min(...closed);
    return new ModelError(fault.code, fault.message, {
      cause: fault,
      details: { ...fault.details, retryAfterMs: soonest },
    });
  }

  async #wait(waitMs: number, signal: AbortSignal): Promise<void> {
    if (waitMs === 0) return;
    await pause(this.#clock, waitMs, signal);
    signal.throwIfAborted();
  }
}

/** Errors that only the owner can mend. */
const setupCodes: ReadonlySet<string> = new Set(["MODEL_AUTH", "MODEL_UNKNOWN"]);

function isSetupFault(fault: unknown): fault is ModelError {
  return fault instanceof ModelError && setupCodes.has(fault.code);
}

type Withdrawn = Extract<ChatEvent, { type: "withdrawn" }>;

function withdrawn(fault: unknown, next: Pick<Withdrawn, "next" | "waitMs" | "retry">): Withdrawn {
  const coded = fault instanceof CodedError ? fault : undefined;
  const origin = coded?.details?.["origin"];
  return {
    type: "withdrawn",
    code: coded?.code ?? "UNKNOWN",
    message: getErrorMessage(fault),
    ...next,
    ...(typeof origin === "string" && { origin }),
  };
}

function leftAlone(id: string, waitMs: number): ModelError {
  return new ModelError(
    "MODEL_RATE_LIMIT",
    `Cannot ask the model "${id}" now: its provider wants to be left alone for ${Math.ceil(waitMs / 1000)} s more; wait, or configure a fallback of another account`,
    { details: { retryAfterMs: waitMs } },
  );
}
