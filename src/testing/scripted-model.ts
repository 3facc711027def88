import type { Model, ModelAnswer, ModelRequest } from "../model/index.ts";

/** What a scripted model answers: a text, a value as JSON, a part of an answer, or an error to reject with. */
export type ScriptedAnswer = string | Error | { readonly value: unknown } | Partial<ModelAnswer>;

/** A model that gives prepared answers, and remembers what it was asked. */
export interface ScriptedModel extends Model {
  /** What it was asked, in order. */
  readonly asked: readonly ModelRequest[];
}

/**
 * A model that answers as it is told: by the next of a list, or by a function of what it is asked and how often it was
 * asked before.
 *
 * @example
 * ```ts
 * const model = createScriptedModel(["Hello, Ada"]);
 * const { signal } = new AbortController();
 * const answer = await model.complete({ messages: [{ role: "user", text: "hi" }], signal });
 * answer.text; // → "Hello, Ada"
 * model.asked.length; // → 1
 * ```
 */
export function createScriptedModel(
  script:
    | readonly ScriptedAnswer[]
    | ((request: ModelRequest, before: number) => ScriptedAnswer | Promise<ScriptedAnswer>),
): ScriptedModel {
  const asked: ModelRequest[] = [];
  return {
    id: "scripted",
    asked,
    async complete(request) {
      request.signal.throwIfAborted();
      asked.push(request);
      const before = asked.length - 1;
      const answer = typeof script === "function" ? await script(request, before) : script[before];
      if (answer === undefined) throw new Error(`The script has no answer ${before + 1}`);
      if (answer instanceof Error) throw answer;
      if (typeof answer === "string") return { text: answer, stop: "end" };
      return { text: "value" in answer ? JSON.stringify(answer.value) : "", stop: "end", ...answer };
    },
  };
}
