import { getErrorMessage } from "../../base/index.ts";
import { type ToolContext, ToolError, type ToolResult, type ToolSuccess } from "../../kernel/index.ts";
import type { Chain, ChainStep } from "./chain.ts";
import { findSources, inputName, resolve } from "./references.ts";
import { checkChain, dependenciesIn, type Waits } from "./step-order.ts";

/** The longest result of a step, in characters: what another step takes of it is looked up in all of it. */
const maxStepChars = 1_000_000;

/**
 * Makes the calls of a chain, each as soon as those it waits for are done, and gives its result. The first that fails
 * cancels the others; what was done stays done.
 *
 * @throws {ToolError} TOOL_INVALID, TOOL_STEP_FAILED
 */
export async function runSteps(chain: Chain, input: unknown, context: ToolContext): Promise<unknown> {
  const waits = checkChain(chain, dependenciesIn(context.toolset));
  const run = new ChainRun(chain, waits, context, input);
  return run.toEnd();
}

class ChainRun {
  readonly #chain: Chain;
  readonly #waits: Waits;
  readonly #context: ToolContext;
  readonly #sources: Map<string, unknown>;
  readonly #results = new Map<string, ToolSuccess>();
  readonly #stop = new AbortController();
  readonly #started = new Map<string, Promise<void>>();

  constructor(chain: Chain, waits: Waits, context: ToolContext, input: unknown) {
    this.#chain = chain;
    this.#waits = waits;
    this.#context = context;
    this.#sources = new Map([[inputName, input]]);
  }

  async toEnd(): Promise<unknown> {
    const { steps } = this.#chain;
    const done = await Promise.allSettled(steps.map((step) => this.#begin(step)));
    const failed = done.find((one) => one.status === "rejected");
    if (failed !== undefined) throw this.#stop.signal.reason ?? failed.reason;
    return this.#result();
  }

  /** One promise a step, whoever waits for it. */
  #begin(step: ChainStep): Promise<void> {
    let started = this.#started.get(step.id);
    if (started === undefined) {
      started = this.#run(step);
      started.catch((error: unknown) => this.#stop.abort(error)); // The first one is the reason.
      this.#started.set(step.id, started);
    }
    return started;
  }

  async #run(step: ChainStep): Promise<void> {
    const { steps } = this.#chain;
    const before = this.#waits.get(step.id) ?? new Set();
    await Promise.all(steps.filter(({ id }) => before.has(id)).map((one) => this.#begin(one)));
    this.#stop.signal.throwIfAborted();
    this.#context.progress(this.#results.size, steps.length, `${step.id}: ${step.tool}`);
    const result = await this.#call(step);
    if (!result.success) throw this.#failure(step, result.error, result.code);
    this.#results.set(step.id, result);
    this.#sources.set(step.id, result.result);
  }

  #call(step: ChainStep): Promise<ToolResult> {
    let params: unknown;
    try {
      params = resolve(step.arguments ?? {}, this.#sources);
    } catch (thrown) {
      throw this.#failure(step, getErrorMessage(thrown), "TOOL_INVALID");
    }
    const isTold = Array.from(findSources(step.arguments)).some(
      (source) => this.#results.get(source)?.trust === "untrusted",
    );
    return this.#context.call(step.tool, params, {
      signal: this.#stop.signal,
      maxOutputChars: maxStepChars,
      ...(isTold && { trust: "untrusted" }),
    });
  }

  #result(): unknown {
    const { steps, result, name } = this.#chain;
    if (result !== undefined) {
      try {
        return resolve(result, this.#sources);
      } catch (thrown) {
        throw new ToolError(
          name,
          "TOOL_STEP_FAILED",
          `Cannot give the result of "${name}": ${getErrorMessage(thrown)}; all of its steps are done, so do not repeat it for its effect`,
        );
      }
    }
    const used = new Set(Array.from(this.#waits.values()).flatMap((ids) => Array.from(ids)));
    const last = steps.filter(({ id }) => !used.has(id));
    const [only] = last;
    if (only !== undefined && last.length === 1) return this.#sources.get(only.id);
    return Object.fromEntries(last.map(({ id }) => [id, this.#sources.get(id)]));
  }

  #failure({ id, tool }: ChainStep, why: string, code: string): ToolError {
    const { name, steps } = this.#chain;
    const done = Array.from(this.#results.keys());
    const left = steps.map((step) => step.id).filter((one) => one !== id && !this.#results.has(one));
    const state = [
      ...(done.length > 0 ? [`done before: ${done.join(", ")}`] : []),
      ...(left.length > 0 ? [`not done: ${left.join(", ")}`] : []),
    ].join("; ");
    return new ToolError(
      name,
      "TOOL_STEP_FAILED",
      `Cannot finish "${name}": its step "${id}" (${tool}) failed: ${why} [${code}]${state === "" ? "" : `; ${state}`}`,
      { details: { step: id, tool, code, done, left } },
    );
  }
}
