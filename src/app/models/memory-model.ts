import { asModel, type Model, withDeadlines } from "../../model/index.ts";
import { readApiKey } from "../api-key.ts";
import type { ApiModelConfig, HaftConfig } from "../config/config-types.ts";
import type { ModelServices, Models } from "./models.ts";
import { withRedaction } from "./redacted-model.ts";

const longestAnswerMs = 120_000;

/**
 * Opens the model that sums up what is in memory: `memory.model`, or else `agent.memoryModel`. Undefined where neither is
 * configured. Nothing is reached before it is asked.
 */
export function memoryModelOpener(
  { memory, agent }: Pick<HaftConfig, "memory" | "agent">,
  models: Models,
  services: ModelServices,
): (() => Promise<Model>) | undefined {
  const own = memory?.model;
  if (own !== undefined) return () => openOwnModel(own, services);
  const name = agent?.memoryModel;
  return name === undefined ? undefined : async () => asModel(await models.open(name));
}

/** @throws {ModelError} MODEL_SETUP */
async function openOwnModel(
  { provider, url, model, apiKey }: ApiModelConfig,
  { connector, secrets, redact }: ModelServices,
): Promise<Model> {
  const { openChatModel } = await import("../../providers/index.ts");
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
  const deadlines = { firstMs: longestAnswerMs, silenceMs: longestAnswerMs, wholeMs: longestAnswerMs };
  return asModel(withDeadlines(withRedaction(chat, redact, undefined), deadlines));
}
