import { type Clock, isRecord, type Json, systemClock } from "../../../base/index.ts";
import type { Model } from "../../../model/index.ts";
import { AgentError } from "../../../model/index.ts";
import type { Embedder } from "../../../search/index.ts";
import type { Job, JobHandler, JobHandlers, Jobs } from "../../jobs/index.ts";
import type { MemoryGraph } from "../store/graph/memory-graph.ts";
import type { MemoryEntry } from "../store/memory-entry.ts";
import type { MemoryStore } from "../store/memory-store.ts";
import { countUnobserved } from "./conversations.ts";
import { extractGraph } from "./extract-graph.ts";
import { defaultLimits, type MemoryLimits } from "./limits.ts";
import type { MemoryWork } from "./memory-work.ts";
import { enqueueObservation, type NoticeParts, noticeConversation } from "./notice.ts";
import { observe } from "./observe.ts";
import { promote } from "./promote.ts";
import { reflect } from "./reflect.ts";
import { sweepExpired } from "./sweep.ts";

/** Every kind of job that keeps memory good. */
export const memoryJobKinds = [
  "memory.observe",
  "memory.promote",
  "memory.graph",
  "memory.reflect",
  "memory.sweep",
] as const;

/** One of {@link memoryJobKinds}. */
export type MemoryJobKind = (typeof memoryJobKinds)[number];

/** What the keeping of memory works with. */
export interface MemoryJobsOptions {
  readonly store: MemoryStore;
  readonly jobs: Jobs;
  /** Absent: nothing is observed, promoted or condensed; what waits for it is told by `waiting`. */
  readonly model?: Model | undefined;
  readonly graph?: Pick<MemoryGraph, "add"> | undefined;
  readonly embedder?: Embedder | undefined;
  readonly limits?: Partial<MemoryLimits>;
  readonly clock?: Clock;
}

/** What was not looked at yet. */
export interface MemoryWaiting {
  /** Tokens of conversations that were not looked at, whether or not they are enough for a look. */
  readonly unobservedTokens: number;
  /** False: it is more than that. */
  readonly complete: boolean;
  /** What waits, in a sentence for people. Undefined: nothing waits, or it will be done. */
  readonly note: string | undefined;
}

const dayMs = 86_400_000;

/**
 * Durable jobs that keep memory good: they note what was said, condense notes, and put away what has expired. Give
 * `handlers` to a {@link JobRunner}.
 *
 * @example
 * ```ts
 * await using store = await openStore({ path: ":memory:" });
 * const keeping = new MemoryJobs({ store: store.memory, jobs: store.jobs });
 * await using runner = new JobRunner({ jobs: store.jobs, handlers: keeping.handlers });
 * runner.start();
 * await keeping.begin("local");
 * (await keeping.waiting("local")).unobservedTokens; // → 0
 * ```
 */
export class MemoryJobs {
  /** The handlers by kind, for a JobRunner. */
  readonly handlers: JobHandlers;
  readonly #options: MemoryJobsOptions;
  readonly #clock: Clock;
  readonly #limits: MemoryLimits;

  constructor(options: MemoryJobsOptions) {
    const { store, model, graph, embedder, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#limits = { ...defaultLimits, ...options.limits };
    const work = model && { store, model, graph, embedder, limits: this.#limits, clock };
    this.handlers = {
      "memory.sweep": ({ scope }) => this.#sweep(scope),
      ...(work && this.#withModel(work)),
    };
  }

  /** Begins what is to be done day by day, and what was left undone. Once a scope, when a program starts. */
  async begin(scope: string): Promise<void> {
    await this.#enqueue("memory.sweep", scope);
    if (this.#options.model === undefined) return;
    const { sessions } = await countUnobserved(this.#options.store, scope);
    for (const [session, tokens] of sessions)
      if (tokens > this.#limits.observeFromTokens) await enqueueObservation(this.#notice, scope, session);
    await this.#goOn(scope);
  }

  /** Call it after messages of a conversation were added. */
  async noticed(scope: string, session: string): Promise<void> {
    if (this.#options.model !== undefined) await noticeConversation(this.#notice, scope, session);
  }

  /** Call it after a memory was stored: what it is about is noted in the background. */
  async remembered({ id, scope }: Pick<MemoryEntry, "id" | "scope">): Promise<void> {
    const { model, graph } = this.#options;
    if (model !== undefined && graph !== undefined)
      await this.#enqueue("memory.graph", scope, id, { entryId: id });
  }

  /** What was said and not looked at yet. */
  async waiting(scope: string): Promise<MemoryWaiting> {
    const { tokens, complete } = await countUnobserved(this.#options.store, scope);
    const shown = `${complete ? "" : "more than "}${tokens.toLocaleString("en")} tokens of conversation not observed`;
    const isLeft = this.#options.model === undefined && tokens > 0;
    return {
      unobservedTokens: tokens,
      complete,
      note: isLeft ? `no model: ${shown}; set memory.model to have them noted` : undefined,
    };
  }

  #withModel(work: MemoryWork): JobHandlers {
    const then =
      (handler: (scope: string, job: Job, signal: AbortSignal) => Promise<unknown>): JobHandler =>
      async (job, signal) => {
        await handler(job.scope, job, signal);
        await this.#goOn(job.scope, job.kind);
      };
    return {
      "memory.observe": then((scope, job, signal) => observe(work, scope, getSession(job), signal)),
      "memory.promote": then((scope, _, signal) => promote(work, scope, signal)),
      "memory.graph": then((scope, job, signal) => extractGraph(work, scope, signal, getEntry(job))),
      "memory.reflect": then((scope, _, signal) => reflect(work, scope, signal)),
    };
  }

  /** What follows from what was done. Each looks for itself whether there is anything to do. */
  async #goOn(scope: string, done?: string): Promise<void> {
    const order = ["memory.observe", "memory.promote", "memory.graph", "memory.reflect"] as const;
    const from = order.findIndex((kind) => kind === done);
    const next = order[Math.max(1, from + 1)];
    if (next !== undefined) await this.#enqueue(next, scope);
  }

  async #sweep(scope: string): Promise<void> {
    await sweepExpired({ store: this.#options.store, limits: this.#limits, clock: this.#clock }, scope);
    await this.#enqueue("memory.sweep", scope, "daily", null, this.#clock.now() + dayMs);
  }

  get #notice(): NoticeParts {
    const { store, jobs } = this.#options;
    return { store, jobs, observeFromTokens: this.#limits.observeFromTokens, clock: this.#clock };
  }

  #enqueue(
    kind: MemoryJobKind,
    scope: string,
    key = "daily",
    payload: Json = null,
    runAt: number = this.#clock.now(),
  ): Promise<Job> {
    return this.#options.jobs.enqueue({ kind, scope, key, payload, runAt });
  }
}

function getSession({ id, payload }: Job): string {
  const session = isRecord(payload) ? payload["session"] : undefined;
  if (typeof session === "string") return session;
  throw new AgentError("AGENT_WORK", `Cannot do the job "${id}": it names no session`, {
    details: { retry: false },
  });
}

/** Undefined: all that wait. */
function getEntry({ payload }: Job): string | undefined {
  const entryId = isRecord(payload) ? payload["entryId"] : undefined;
  return typeof entryId === "string" ? entryId : undefined;
}
