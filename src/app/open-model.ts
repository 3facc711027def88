import type { Connector } from "../host/index.ts";
import { asModel, type Model, withDeadlines } from "../model/index.ts";
import type { Secrets } from "../modules/secrets/index.ts";
import { readApiKey } from "./api-key.ts";
import type { ApiModelConfig } from "./config/config-types.ts";

export interface ModelServices {
  readonly connector: Connector;
  readonly secrets: Pick<Secrets, "get">;
  /** Takes secrets out of what is sent: what is remembered is whatever somebody said. */
  readonly redact: (text: string) => string;
}

const longestAnswerMs = 120_000;

/**
 * The model that sums up what is in memory. Nothing is reached before it is asked.
 *
 * @throws {ModelError} MODEL_SETUP
 */
export async function openMemoryModel(
  { provider, url, model, apiKey }: ApiModelConfig,
  { connector, secrets, redact }: ModelServices,
): Promise<Model> {
  const { openChatModel } = await import("../providers/index.ts");
  const setting = "memory.model";
  const chat = openChatModel(provider, {
    connector,
    baseUrl: url,
    model,
    setting,
    ...(apiKey !== undefined && {
      apiKey: readApiKey({ setting, task: "ask a model about memory", apiKey }, secrets),
    }),
  });
  const silent = { firstMs: longestAnswerMs, silenceMs: longestAnswerMs, wholeMs: longestAnswerMs };
  const whole = asModel(withDeadlines(chat, silent));
  return {
    id: whole.id,
    complete: (request) =>
      whole.complete({
        ...request,
        ...(request.system !== undefined && { system: redact(request.system) }),
        messages: request.messages.map(({ role, text }) => ({ role, text: redact(text) })),
      }),
  };
}
