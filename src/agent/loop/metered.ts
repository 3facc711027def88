import { getErrorCode, type MaybePromise } from "../../base/index.ts";
import type { ChatEvent } from "../../model/index.ts";
import { describeNearLimit, describePause } from "../usage/describe-budget.ts";
import type { BudgetPause, MeteredCall, MeteredRequest } from "../usage/usage-meter.ts";
import type { AnswerEnd } from "./ask-model.ts";
import type { AgentEvent, PausedEnd } from "./events.ts";
import { HeardTokens } from "./heard-tokens.ts";
import type { Journal } from "./journal.ts";

/** A request of the loop, before it is made. */
export interface LoopRequest extends Pick<MeteredRequest, "inputTokens" | "maxTokens" | "isFixed"> {
  readonly step: number;
  /** Whether it is asked for a step, a summary, or a verdict on failed calls. */
  readonly purpose: "step" | "compact" | "judge";
}

/** Books a request before it is made, if the budgets allow it. */
export type LoopMeter = (request: LoopRequest) => Promise<MeteredCall | BudgetPause>;

/** A request under way, as the meter counts it. Without a meter nothing is counted. */
export class Metered {
  #call: MeteredCall | undefined;
  #pause: BudgetPause | undefined;
  readonly #heard = new HeardTokens();

  constructor(begun: MeteredCall | BudgetPause | undefined) {
    this.#take(begun);
  }

  /** Why the run pauses, in words; undefined while there is budget. */
  get pause(): string | undefined {
    return this.#pause && describePause(this.#pause);
  }

  /** How the run ends; undefined while there is budget. */
  get end(): PausedEnd | undefined {
    return this.#pause && endForBudget(this.#pause);
  }

  /** The most tokens to ask for. */
  get maxTokens(): number | undefined {
    return this.#call?.maxTokens;
  }

  get near(): MeteredCall["near"] {
    return this.#call?.near ?? [];
  }

  /** Counts a piece of the answer, in case it is never whole. */
  hear(event: ChatEvent): void {
    this.#heard.hear(event);
  }

  /** @throws {Error} if another request would go over a budget; it is then not made. */
  async retried({ code, next }: Extract<ChatEvent, { type: "withdrawn" }>): Promise<void> {
    this.#take(await this.#call?.retried({ code, next, outputTokens: this.#heard.take() }));
    if (this.#pause !== undefined) throw new Error(this.pause);
  }

  /** Gives the cost in micro-USD; undefined where nobody knows it. */
  ended({ usage, stop, model }: AnswerEnd, outputTokens: number): MaybePromise<number | undefined> {
    if (this.#call === undefined) return usage.costMicros;
    return this.#call
      .ended({ usage, stop, outputTokens, ...(model !== undefined && { model }) })
      .then(({ costMicros }) => costMicros);
  }

  async failed(thrown: unknown): Promise<void> {
    const code = getErrorCode(thrown) ?? "INTERRUPTED";
    await this.#call?.failed({ code, outputTokens: this.#heard.take() });
  }

  #take(begun: MeteredCall | BudgetPause | undefined): void {
    this.#call = begun?.do === "go" ? begun : undefined;
    this.#pause = begun?.do === "pause" ? begun : undefined;
  }
}

/** The end of a run whose budget does not allow its next request. */
export function endForBudget(pause: BudgetPause): PausedEnd {
  const { why, use } = pause;
  const text = describePause(pause);
  return { state: "paused", why: "budget", text, ...(why === "spent" && { budget: use }) };
}

/** What {@link beginMetered} works with. */
export interface MeteringParts {
  readonly journal: Journal;
  readonly meter?: LoopMeter;
  readonly emit: (event: AgentEvent) => void;
}

/** Books a request before it is made, and tells the model once about each limit that is near. */
export function beginMetered(parts: MeteringParts, request: LoopRequest): MaybePromise<Metered> {
  const begun = parts.meter?.(request);
  return begun === undefined ? new Metered(undefined) : tellNear(parts, begun);
}

async function tellNear({ journal, emit }: MeteringParts, begun: ReturnType<LoopMeter>): Promise<Metered> {
  const metered = new Metered(await begun);
  for (const use of metered.near) {
    const about = `budget ${use.scope} ${use.kind}`;
    if (journal.entries.some((entry) => entry.kind === "note" && entry.about === about)) continue;
    const text = describeNearLimit(use);
    await journal.write({ entries: [{ kind: "note", about, text }] });
    emit({ type: "note", about, text });
  }
  return metered;
}
