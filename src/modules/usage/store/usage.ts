import type { Zone } from "../../../base/index.ts";

/** `step`: one answer of a run. `reflect`: what is learnt from a run. `memory`: upkeep of what is remembered. `judge`: a verdict on a call. */
export type CallPurpose = "step" | "compact" | "reflect" | "memory" | "judge";

/**
 * The source of a call's cost. `provider`: the provider said it. `table`: its tokens at known prices. `estimated`: a
 * bound, for an answer that nobody counted. `no`: the price is not known, and neither is the cost.
 */
export type PriceSource = "provider" | "table" | "estimated" | "no";

/** Tokens of one call or of many. A total is input and output: the other three are parts of these. */
export interface TokenCounts {
  /** The whole request, with what was read from or written to a cache. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** The whole answer, with the model's thoughts. */
  readonly outputTokens: number;
  readonly reasoningTokens: number;
}

/** What one call took. */
export interface CallUsage extends TokenCounts {
  /** Whole micro-USD; undefined exactly where `priced` is `no`. */
  readonly costMicros: number | undefined;
  readonly priced: PriceSource;
}

/** A request to a model that is about to be made. */
export interface NewModelCall {
  readonly scope: string;
  readonly model: string;
  readonly purpose: CallPurpose;
  /** What it was made for: a channel such as `terminal`, a schedule. @default its purpose */
  readonly source?: string;
  /** The run it belongs to, with the outermost run of the tree. Absent: no run made it. */
  readonly run?: { readonly id: string; readonly rootId: string; readonly step: number };
  readonly sessionId?: string;
  readonly agentId?: string;
  /** The project folder. */
  readonly project?: string;
  /** The most that the call may take: it counts as spent until the call ends, and for good where its process dies. */
  readonly reserved: CallUsage;
}

/** How a call came out. */
export interface ModelCallEnd {
  readonly usage: CallUsage;
  /** Why the answer ended, as the model's `end` says; absent where there is no whole answer. */
  readonly stop?: string;
  /** The code of what went wrong. */
  readonly error?: string;
  /** The id of the model that answered, where that is not the one that was asked. */
  readonly model?: string;
}

/** A request as it is recorded. */
export interface ModelCall {
  readonly id: string;
  readonly model: string;
  readonly purpose: CallPurpose;
  /** The step of its run, from 1. */
  readonly step: number | undefined;
  /** Unix ms. */
  readonly startedAt: number;
  /** Undefined while it is under way: `usage` is then the most that it may take. */
  readonly endedAt: number | undefined;
  /** Why the answer ended. */
  readonly stop: string | undefined;
  /** The code of what went wrong. */
  readonly error: string | undefined;
  readonly usage: CallUsage;
}

/** The error code of calls that no process is left to end. */
export const processDied = "PROCESS_DIED";

/** The calls that a budget covers: a tree of runs, some runs of it, or all calls since a moment. */
export type SpentQuery =
  | {
      readonly scope: string;
      /** The outermost run. */
      readonly rootId: string;
      /** Only these runs of the tree. @default all */
      readonly runIds?: readonly string[];
    }
  | {
      readonly scope: string;
      /** These runs, of whatever tree. */
      readonly runIds: readonly string[];
    }
  | {
      readonly scope: string;
      /** Unix ms. */
      readonly since: number;
      /** @default every agent's */
      readonly agentId?: string;
    };

/** What was spent, calls under way included with the most that they may take. */
export interface Spent {
  readonly costMicros: number;
  /** Input and output. */
  readonly tokens: number;
  /** Answers that runs have had or wait for; requests that failed give none. */
  readonly steps: number;
  /** The time that models took. */
  readonly ms: number;
  /** Models of calls whose cost is not known, and so not in `costMicros`. */
  readonly unpricedModels: readonly string[];
}

/** Keys by which totals can be grouped. */
export const usageKeys = ["day", "model", "agent", "purpose", "source", "run", "project"] as const;

/** One of {@link usageKeys}. */
export type UsageKey = (typeof usageKeys)[number];

/** Which calls to add up, and how to group them. */
export interface UsageQuery {
  readonly scope: string;
  /** Unix ms: calls that began then or later. @default all */
  readonly since?: number;
  /** Unix ms: calls that began before. @default all */
  readonly until?: number;
  readonly model?: string;
  readonly agentId?: string;
  readonly source?: string;
  readonly project?: string;
  /** A run; an outermost one with all runs of its tree. */
  readonly runId?: string;
  /** @default [], one total */
  readonly by?: readonly UsageKey[];
  /** The time zone whose midnight begins a day. @default the zone of this machine */
  readonly zone?: Zone;
}

/** Calls added up. */
export interface UsageTotal extends TokenCounts {
  /** The value of each key that was asked for; null where calls have none. Days are `2026-01-31`, runs outermost ones. */
  readonly keys: Readonly<Partial<Record<UsageKey, string | null>>>;
  readonly calls: number;
  /** Calls that ended with an error. */
  readonly failed: number;
  /** Calls under way. */
  readonly open: number;
  /** Calls of unknown cost. */
  readonly unpriced: number;
  /** Calls whose tokens are a bound, those under way included. */
  readonly estimated: number;
  /** Whole micro-USD of the calls whose cost is known; undefined where it is known of none. */
  readonly costMicros: number | undefined;
  /** The time that models took. */
  readonly ms: number;
}

/** Which answers to list. */
export interface StepQuery {
  readonly scope: string;
  /** Unix ms: answers whose request was made then or later. */
  readonly since: number;
  /** The most answers to list, the newest first. @default 1,000 */
  readonly limit?: number;
}

/** One answer in a session, and how much of its request a cache served. */
export interface SessionStep extends Pick<TokenCounts, "inputTokens" | "cacheReadTokens"> {
  readonly sessionId: string;
  readonly model: string;
  /** When it was asked for, in Unix ms. */
  readonly at: number;
}

/** Requests to models: each is a row before it is made. */
export interface Usage {
  /** Resolves with the id of the call once it survives a kill -9. */
  begin(call: NewModelCall): Promise<string>;
  /**
   * Lets `decide` choose the call by what was spent, and begins it in the same transaction. `decide` is synchronous;
   * undefined begins nothing.
   */
  beginWithin(
    queries: readonly SpentQuery[],
    decide: (spent: readonly Spent[]) => NewModelCall | undefined,
  ): Promise<string | undefined>;
  /** False where the call has ended already: its row is then as it was. */
  end(scope: string, id: string, end: ModelCallEnd): Promise<boolean>;
  /** Ends the calls of processes that are gone, with what was reserved for them. Resolves with how many. */
  recover(): Promise<number>;
  spent(query: SpentQuery): Promise<Spent>;
  /** The requests of one run, in the order in which they were made. */
  list(scope: string, runId: string): Promise<readonly ModelCall[]>;
  /** Adds up calls, in the order of their keys; a query without keys gives one total. */
  totals(query: UsageQuery): Promise<readonly UsageTotal[]>;
  /** Answers of sessions, the newest first. */
  steps(query: StepQuery): Promise<readonly SessionStep[]>;
}
