import { type Clock, systemClock, systemZone, type Zone } from "../../base/index.ts";
import {
  type ChatModel,
  type ChatUsage,
  findPrices,
  type ModelFacts,
  type ModelPrices,
  priceCall,
  toSoundUsage,
} from "../../model/index.ts";
import type {
  CallPurpose,
  CallUsage,
  NewModelCall,
  Spent,
  SpentQuery,
  Usage,
} from "../../modules/usage/index.ts";
import {
  type Budget,
  type BudgetCheck,
  type BudgetLimits,
  type BudgetScope,
  type BudgetUse,
  checkBudget,
  reserveCost,
} from "./budget.ts";
import { findMidnight } from "./midnight.ts";

/**
 * Counts requests to models, and keeps them within budgets. The loop calls {@link before} ahead of each request, asks
 * for no longer an answer than it says, and tells the {@link MeteredCall} how the request came out.
 */
export interface UsageMeter {
  /**
   * Checks the budgets and writes the request down, in one transaction: runs side by side don't pass a limit together.
   * A call that is never ended counts with the most that it may take. Once its process is gone, that amount is booked:
   * by the first call of this function, and by `Usage.recover()`, which a process calls when it takes over a run.
   */
  before(request: MeteredRequest): Promise<MeteredCall | BudgetPause>;
}

/** A request to a model, before it is made. */
export interface MeteredRequest {
  readonly scope: string;
  readonly model: Pick<ChatModel, "id"> & {
    readonly facts: Pick<ModelFacts, "maxOutputTokens"> & Partial<Pick<ModelFacts, "prices">>;
  };
  readonly purpose: CallPurpose;
  /** An estimate of the request's tokens that is not too low. */
  readonly inputTokens: number;
  /** @default the most that the model can answer */
  readonly maxTokens?: number;
  /** Whether no shorter answer may be asked for where the budgets have room for one alone. @default false */
  readonly isFixed?: boolean;
  readonly run?: NewModelCall["run"];
  readonly sessionId?: string;
  readonly agentId?: string;
  readonly project?: string;
  /** The channel or schedule that it is made for. @default the purpose */
  readonly source?: string;
  /** @default no limits */
  readonly budgets?: Budgets;
  /**
   * How long its tree of runs has worked so far, without the time it was parked: `minutes` of a run limits this.
   * @default the time that its models took
   */
  readonly workedMs?: number;
}

/** The limits that one request has to keep to. */
export interface Budgets {
  /** The outermost run with all runs below it. */
  readonly run?: BudgetLimits;
  /** A run that has a budget of its own, with those before it in its session and those below it. */
  readonly part?: {
    readonly runIds: readonly string[];
    readonly limits: BudgetLimits;
    /** How long the run has worked so far: `minutes` limits this. @default the time that its models took */
    readonly workedMs?: number;
  };
  /** All calls of the agent since midnight. */
  readonly agentDay?: BudgetLimits;
  /** All calls of the installation since midnight. */
  readonly installationDay?: BudgetLimits;
}

/** A request that must not be made: the run pauses, until somebody raises the limit. */
export interface BudgetPause {
  readonly do: "pause";
  readonly why: "spent" | "unpriced";
  readonly use: BudgetUse;
}

/** A request that is being made. It is ended by exactly one of its three functions. */
export interface MeteredCall {
  readonly do: "go";
  /** The most tokens to ask for. */
  readonly maxTokens: number;
  /** Limits of which 80 % or more is spent: the model is told once of each. */
  readonly near: readonly BudgetUse[];
  /** Counts an answer, by what its `end` says. */
  ended(end: EndedCall): Promise<CallUsage>;
  /** Counts a request without a whole answer: an error, an interrupt. */
  failed(failure: FailedCall): Promise<void>;
  /**
   * Counts an attempt that was withdrawn and begins the next one. Await it before more of the stream is read: the next
   * request is then written down, and paid for within the budgets, before it is made.
   */
  retried(failure: FailedCall & { readonly next: string }): Promise<MeteredCall | BudgetPause>;
}

/** How a request was answered. */
export interface EndedCall {
  readonly usage: ChatUsage;
  readonly stop: string;
  /** The id of the model that answered. @default the one that was asked */
  readonly model?: string;
  /** About how many tokens the answer has, for a provider that counts none. @default the most that it may have */
  readonly outputTokens?: number;
}

/** How a request failed. */
export interface FailedCall {
  /** The code of the error; `INTERRUPTED` where there was none. */
  readonly code: string;
  /** About how many tokens had come by then. @default 0 */
  readonly outputTokens?: number;
}

/** What a meter needs. */
export interface UsageMeterOptions {
  readonly usage: Usage;
  /** Prices by model id, for models that a stream falls back to. @default what haft ships with */
  readonly findPrices?: (modelId: string) => ModelPrices | undefined;
  readonly clock?: Clock;
  /** The time zone whose midnight begins a day. @default the zone of this machine */
  readonly zone?: Zone;
}

/** Errors of requests that no model began to answer: they cost nothing. */
const unanswered: ReadonlySet<string> = new Set([
  "MODEL_SETUP",
  "MODEL_PACKAGE",
  "MODEL_AUTH",
  "MODEL_UNKNOWN",
  "MODEL_RATE_LIMIT",
  "MODEL_QUOTA",
  "MODEL_OVERLOADED",
  "MODEL_STATUS",
  "MODEL_CONTEXT",
  "MODEL_BAD_REQUEST",
]);

const noTokens = {
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
} as const;

/** Makes a meter over {@link Usage}. */
export function createUsageMeter({
  usage,
  findPrices: find = findPrices,
  clock = systemClock,
  zone = systemZone,
}: UsageMeterOptions): UsageMeter {
  let recovered: Promise<number> | undefined;
  return {
    async before(request) {
      await (recovered ??= usage.recover());
      const { id, facts } = request.model;
      const prices = facts.prices ?? find(id);
      const maxTokens = request.maxTokens ?? facts.maxOutputTokens;
      return begin(request, { model: id, prices, maxTokens, isFixed: request.isFixed ?? false });
    },
  };

  async function begin(request: MeteredRequest, attempt: Attempt): Promise<MeteredCall | BudgetPause> {
    const questions = listQuestions(request, () => findMidnight(clock.now(), zone));
    const call = (maxTokens: number) => toNewCall(request, { ...attempt, maxTokens });
    if (questions.length === 0) {
      const id = await usage.begin(call(attempt.maxTokens));
      return meter(request, { ...attempt, id, near: [] });
    }
    let check: BudgetCheck | undefined;
    const id = await usage.beginWithin(
      questions.map(({ query }) => query),
      (spent) => {
        const budgets = questions.map((question, at) => toBudget(question, spent[at] as Spent, request));
        check = checkBudget(budgets, {
          ...attempt,
          inputTokens: request.inputTokens,
          isStep: request.purpose === "step",
        });
        return check.do === "go" ? call(check.maxTokens) : undefined;
      },
    );
    if (check?.do === "pause") return check;
    if (id === undefined || check === undefined)
      throw new Error("Cannot begin a call that nobody decided on");
    return meter(request, { ...attempt, id, maxTokens: check.maxTokens, near: check.near });
  }

  function meter(request: MeteredRequest, begun: BegunCall): MeteredCall {
    const { scope } = request;
    const { id, model, prices, maxTokens, near } = begun;
    const fail = async ({ code, outputTokens = 0 }: FailedCall) => {
      const isFree = unanswered.has(code) && outputTokens === 0;
      const counted = isFree ? nothing : estimate({ inputTokens: request.inputTokens, outputTokens }, prices);
      await usage.end(scope, id, { usage: counted, error: code });
    };
    return {
      do: "go",
      maxTokens,
      near,
      async ended({ usage: given, stop, model: answered = model, outputTokens = maxTokens }) {
        const said = toSoundUsage(given);
        const { costMicros, ...counts } = said;
        const known = answered === model ? prices : find(answered);
        const isCounted = said.inputTokens + said.outputTokens > 0 || costMicros !== undefined;
        const counted = isCounted
          ? { ...counts, ...priceCall(said, known) }
          : estimate({ inputTokens: request.inputTokens, outputTokens }, known);
        await usage.end(scope, id, { usage: counted, stop, ...(answered !== model && { model: answered }) });
        return counted;
      },
      failed: fail,
      async retried({ next, ...failure }) {
        await fail(failure);
        const nextPrices = next === model ? prices : find(next);
        return begin(request, { model: next, prices: nextPrices, maxTokens, isFixed: true });
      },
    };
  }
}

/** One attempt at a request, by one model. */
interface Attempt {
  readonly model: string;
  readonly prices: ModelPrices | undefined;
  readonly maxTokens: number;
  readonly isFixed: boolean;
}

interface BegunCall extends Omit<Attempt, "isFixed"> {
  readonly id: string;
  readonly near: readonly BudgetUse[];
}

function toNewCall(request: MeteredRequest, { model, prices, maxTokens }: Attempt): NewModelCall {
  const { scope, purpose, run, sessionId, agentId, project, source, inputTokens } = request;
  const counts = { ...noTokens, inputTokens, outputTokens: maxTokens };
  return {
    scope,
    model,
    purpose,
    ...(run !== undefined && { run }),
    ...(sessionId !== undefined && { sessionId }),
    ...(agentId !== undefined && { agentId }),
    ...(project !== undefined && { project }),
    ...(source !== undefined && { source }),
    reserved:
      prices === undefined
        ? { ...counts, costMicros: undefined, priced: "no" }
        : { ...counts, costMicros: reserveCost(inputTokens, maxTokens, prices), priced: "estimated" },
  };
}

const nothing: CallUsage = { ...noTokens, costMicros: 0, priced: "table" };

/** An estimate of what a request took that nobody counted. */
function estimate(
  tokens: { readonly inputTokens: number; readonly outputTokens: number },
  prices: ModelPrices | undefined,
): CallUsage {
  const counts = { ...noTokens, ...tokens };
  return prices === undefined
    ? { ...counts, costMicros: undefined, priced: "no" }
    : {
        ...counts,
        costMicros: reserveCost(tokens.inputTokens, tokens.outputTokens, prices),
        priced: "estimated",
      };
}

/** One budget of a request, with the query for what was spent of it. */
interface BudgetQuestion {
  readonly scope: BudgetScope;
  readonly limits: BudgetLimits;
  readonly query: SpentQuery;
}

function listQuestions(
  { scope, run, agentId, budgets = {} }: MeteredRequest,
  findSince: () => number,
): readonly BudgetQuestion[] {
  const questions: BudgetQuestion[] = [];
  const add = (name: BudgetScope, limits: BudgetLimits | undefined, query: () => SpentQuery) => {
    if (limits === undefined || Object.values(limits).every((limit) => limit === undefined)) return;
    questions.push({ scope: name, limits, query: query() });
  };
  if (run !== undefined) {
    const { rootId } = run;
    const { part } = budgets;
    add("run", budgets.run, () => ({ scope, rootId }));
    if (part !== undefined) add("part", part.limits, () => ({ scope, runIds: part.runIds }));
  }
  if (agentId !== undefined)
    add("agent-day", budgets.agentDay, () => ({ scope, agentId, since: findSince() }));
  add("installation-day", budgets.installationDay, () => ({ scope, since: findSince() }));
  return questions;
}

function toBudget(
  { scope, limits }: BudgetQuestion,
  spent: Spent,
  { workedMs = 0, budgets }: MeteredRequest,
): Budget {
  // A part is limited by its own time: its runs side by side each have theirs.
  if (scope === "part")
    return { scope, limits, spent: { ...spent, ms: budgets?.part?.workedMs ?? spent.ms } };
  return { scope, limits, spent: scope === "run" ? { ...spent, ms: Math.max(spent.ms, workedMs) } : spent };
}
