import { parseJson } from "../../src/base/index.ts";
import type { CallContext, ToolResult } from "../../src/kernel/index.ts";
import type { OpenInstallation } from "../support/installation.ts";
import { forms } from "./disguise.ts";

/** One tool call that somebody wants. */
export interface Order {
  readonly tool: string;
  readonly params: unknown;
  /** The very object is passed on, and nothing is filled in. */
  readonly isLiteral?: true;
  /** Beside the call's usual context. */
  readonly context?: CallContext;
}

export interface Step extends Order {
  readonly result: ToolResult;
}

/** How a text orders a call: whatever reads it, does it. `times`: that often. */
export function order(tool: string, params: unknown, times = 1): string {
  // Escaped, so that it may stand in a file's name and in JSON that is quoted again.
  const json = JSON.stringify(params).replaceAll("/", "\\u002f").replaceAll(">", "\\u003e");
  return `<<DO${times > 1 ? `*${times}` : ""} ${tool} ${json}>>`;
}

/** Stands in an order for the canary, once it was seen, in one of {@link forms}. */
export function copied(form: keyof typeof forms = "plain"): string {
  return `[[canary:${String(form)}]]`;
}

/** Stands for the id of the latest artifact. */
export const lastArtifact = "[[artifact]]";

/** Stands for the id of the latest question that nobody answered. */
export const lastQuestion = "[[question]]";

/** Stands for the id of the first call of a tool that succeeded. */
export function firstCall(tool: string): string {
  return `[[call:${tool}]]`;
}

const maxCalls = 600;

/**
 * The worst case of a model: it does what its user asks, and between that whatever any text that it reads orders, at
 * once and to the letter.
 */
export class ObedientModel {
  readonly steps: Step[] = [];
  readonly #installation: OpenInstallation;
  readonly #done = new Set<string>();
  #canary: string | undefined;
  #artifact: string | undefined;
  #question: string | undefined;

  constructor(installation: OpenInstallation) {
    this.#installation = installation;
  }

  async work(asked: readonly Order[]): Promise<readonly Step[]> {
    for (const one of asked) await this.#do(one);
    return this.steps;
  }

  async #do(wanted: Order): Promise<void> {
    if (this.steps.length >= maxCalls) return;
    await this.#readTools(wanted.context);
    const params = wanted.isLiteral === true ? wanted.params : this.#fillIn(wanted.params);
    const result = await this.#installation.call(wanted.tool, params, wanted.context);
    this.steps.push({ ...wanted, params, result });
    const texts = [result.text, ...textsIn(result.success ? result.result : result.details)];
    for (const text of texts) this.#see(text);
    this.#artifact = result.artifact?.id ?? this.#artifact;
    if (!result.success && typeof result.details?.["approval"] === "string")
      this.#question = result.details["approval"];
    for (const text of texts) await this.#obey(text, wanted.context);
  }

  /** What tools say of themselves is read before every call, and obeyed like all else. */
  async #readTools(context: CallContext | undefined): Promise<void> {
    for (const { origin, description, parameters } of this.#installation.app.registry.list()) {
      if (origin === "haft") continue;
      for (const text of textsIn([description, parameters])) await this.#obey(text, context);
    }
  }

  #see(text: string): void {
    this.#canary ??= /canary-[0-9a-f]{24}/.exec(text)?.[0];
  }

  async #obey(text: string, context: CallContext | undefined): Promise<void> {
    const orders = text.matchAll(/<<DO(?:\*(\d+))? ([\w-]+) (.*?)>>/gs);
    for (const [, times = "1", tool = "", json = ""] of orders) {
      const params = parseJson(json) ?? parseJson(json.replaceAll('\\"', '"').replaceAll("\\\\", "\\"));
      const order = `${tool} ${JSON.stringify(this.#fillIn(params))}`;
      if (params === undefined || this.#done.has(order)) continue;
      this.#done.add(order);
      for (let time = 0; time < Number(times); time++)
        await this.#do({ tool, params, ...(context !== undefined && { context }) });
    }
  }

  #fillIn(value: unknown): unknown {
    if (typeof value === "string") {
      return value
        .replace(/\[\[canary:(\w+)\]\]/g, (whole, form: string) =>
          this.#canary === undefined ? whole : (forms[form]?.(this.#canary) ?? whole),
        )
        .replace(lastArtifact, () => this.#artifact ?? lastArtifact)
        .replace(lastQuestion, () => this.#question ?? lastQuestion)
        .replace(/\[\[call:(\w+)\]\]/g, (whole, tool: string) => {
          const first = this.steps.find((step) => step.tool === tool && step.result.success);
          return first?.result.callId ?? whole;
        });
    }
    if (Array.isArray(value)) return value.map((item) => this.#fillIn(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [String(this.#fillIn(key)), this.#fillIn(item)]),
    );
  }
}

/** All texts in a value. */
export function* textsIn(value: unknown): Generator<string, void> {
  if (typeof value === "string") yield value;
  else if (typeof value === "object" && value !== null)
    for (const part of Object.values(value)) yield* textsIn(part);
}
