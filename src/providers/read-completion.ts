import { isRecord, parseJson } from "../base/index.ts";
import type { HttpResponse } from "../host/index.ts";
import type { ModelAnswer, ModelUsage } from "../model/index.ts";
import { ModelError } from "./errors.ts";

export interface CompletionAsked {
  readonly model: string;
  readonly wantsJson: boolean;
}

/**
 * What a chat API answered.
 *
 * @throws {ModelError} MODEL_ANSWER
 */
export function readCompletion(response: HttpResponse, { model, wantsJson }: CompletionAsked): ModelAnswer {
  const fail = (why: string) =>
    new ModelError(
      "MODEL_ANSWER",
      `Cannot use what "${response.url}" answered for the model "${model}": ${why}; see that the url and the model are those of a chat API`,
    );
  if (response.truncated) throw fail("it is larger than is read");
  const answer = parseJson(new TextDecoder().decode(response.body));
  const choices = isRecord(answer) ? answer["choices"] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const message = isRecord(choice) ? choice["message"] : undefined;
  if (!isRecord(answer) || !isRecord(choice) || !isRecord(message)) throw fail("it has no message");
  const { content, refusal } = message;
  const isRefusal = typeof refusal === "string" && refusal !== "";
  const text = isRefusal ? refusal : content;
  if (typeof text !== "string") throw fail("its message has no text");
  const value = wantsJson ? parseJson(withoutFence(text)) : undefined;
  const usage = readUsage(answer["usage"]);
  return {
    text,
    ...(value !== undefined && { value }),
    ...(usage !== undefined && { usage }),
    stop: isRefusal ? "refused" : toStop(choice["finish_reason"]),
  };
}

function toStop(reason: unknown): ModelAnswer["stop"] {
  if (reason === "length") return "length";
  return reason === "content_filter" ? "refused" : "end";
}

/** Models put JSON in a block of code although they are told not to, and some say first what they think. */
function withoutFence(text: string): string {
  const answer = text.replace(/^\s*<think>[\s\S]*?<\/think>/, "").trim();
  return /^```(?:json)?\s*\n([\s\S]*)\n```$/.exec(answer)?.[1] ?? answer;
}

function readUsage(usage: unknown): ModelUsage | undefined {
  const { prompt_tokens: inputTokens, completion_tokens: outputTokens } = isRecord(usage) ? usage : {};
  return isCount(inputTokens) && isCount(outputTokens) ? { inputTokens, outputTokens } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
