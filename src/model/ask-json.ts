import { cutHead } from "../base/index.ts";
import type { JsonSchema } from "../kernel/index.ts";
import { AnswerFault, AnswerPart } from "./answer-fault.ts";
import { AgentError } from "./errors.ts";
import type { Model, ModelAnswer, ModelMessage } from "./model.ts";

export interface JsonQuestion<Answer> {
  readonly system: string;
  readonly prompt: string;
  readonly schema: JsonSchema;
  readonly maxTokens: number;
  readonly signal: AbortSignal;
  /** Makes of the JSON what was asked for. Throws {@link AnswerFault} where that can't be. */
  readonly read: (answer: AnswerPart) => Answer;
  /**
   * What is taken where the model gives nothing that can be used. Of data from outside: whoever wrote it could keep what
   * stands beside it from ever being looked at. Absent: it is a fault.
   */
  readonly otherwise?: Answer | undefined;
}

const longestShown = 20_000;

/**
 * What a model answers, checked. It is told once what is wrong with its answer.
 *
 * @throws {AgentError} AGENT_ANSWER where the second can't be used either, AGENT_REFUSED; what the model throws.
 *
 * @example
 * ```ts
 * const model = createScriptedModel([{ value: 3 }]);
 * const count = await askJson(model, {
 *   messages: [{ role: "user", text: "How many?" }],
 *   schema: { type: "integer" },
 *   read: Number,
 *   signal: AbortSignal.timeout(1_000),
 * });
 * count; // → 3
 * ```
 */
export async function askJson<Answer>(model: Model, question: JsonQuestion<Answer>): Promise<Answer> {
  const { system, prompt, schema: json, maxTokens, signal } = question;
  const messages: ModelMessage[] = [{ role: "user", text: prompt }];
  for (let attempt = 1; ; attempt++) {
    const answer = await model.complete({ system, messages: [...messages], maxTokens, json, signal });
    try {
      return readAnswer(answer, model, question);
    } catch (thrown) {
      const isFault = thrown instanceof AnswerFault;
      if (!isFault && !(thrown instanceof AgentError)) throw thrown;
      if (!isFault || attempt === 2) {
        if (question.otherwise !== undefined) return question.otherwise;
        throw isFault ? unusable(model, thrown) : thrown;
      }
      messages.push(
        { role: "assistant", text: cutHead(answer.text, longestShown) || "(nothing)" },
        {
          role: "user",
          text: `This can't be used: ${thrown.message}. Answer again, with the whole JSON alone.`,
        },
      );
    }
  }
}

function readAnswer<Answer>(answer: ModelAnswer, model: Model, { read }: JsonQuestion<Answer>): Answer {
  if (answer.stop === "refused")
    throw new AgentError(
      "AGENT_REFUSED",
      `Cannot use the model "${model.id}" for this: it refuses to answer; choose another`,
      { details: { retry: false } },
    );
  if (answer.stop === "length") throw new AnswerFault("it is cut off: say less, in fewer words");
  if (answer.value === undefined) throw new AnswerFault("it is no JSON");
  return read(new AnswerPart(answer.value, ""));
}

function unusable(model: Model, fault: AnswerFault): AgentError {
  return new AgentError(
    "AGENT_ANSWER",
    `Cannot use what the model "${model.id}" answered: ${fault.message}; nothing was changed. Choose a model that keeps to a schema, if this goes on`,
    { cause: fault },
  );
}
