import { asModel, type ChatModel, type Model, withDeadlines } from "../../model/index.ts";
import type { Usage } from "../../modules/usage/index.ts";
import { readApiKey } from "../api-key.ts";
import type { ApiModelConfig, HaftConfig } from "../config/config-types.ts";
import type { ModelServices, Models } from "./models.ts";
import { withRedaction } from "./redacted-model.ts";

const longestAnswerMs = 120_000;

/** Services that the model of memory needs in addition to those of every model. */
export interface MemoryModelServices extends ModelServices {
  /** The project folder. */
  readonly folder: string;
  readonly usage: () => Promise<Usage>;
}

/**
 * Opens the model that sums up what is in memory: `memory.model`, or else `agent.memoryModel`. Undefined where neither is
 * configured. Nothing is reached before it is asked. Its requests are counted, and keep to `agent.budget.day`.
 */
export function memoryModelOpener(
  { memory, agent }: Pick<HaftConfig, "memory" | "agent">,
  models: Models,
  services: MemoryModelServices,
): (() => Promise<Model>) | undefined {
  const own = memory?.model;
  const name = agent?.memoryModel;
  const open = own === undefined ? name && (() => models.open(name)) : () => openOwnModel(own, services);
  if (open === undefined || open === "") return undefined;
  const { day } = agent?.budget ?? {};
  return async () => {
    const { createUsageMeter, meterChat, toBudgetLimits } = await import("../../agent/index.ts");
    return asModel(
      meterChat(await open(), {
        meter: createUsageMeter({
          usage: await services.usage(),
          findPrices: (id) => models.findPrices(id),
        }),
        scope: "local",
        purpose: "memory",
        project: services.folder,
        ...(day !== undefined && { budgets: { installationDay: toBudgetLimits(day) } }),
      }),
    );
  };
}

/** @throws {ModelError} MODEL_SETUP */
async function openOwnModel(
  { provider, url, model, apiKey }: ApiModelConfig,
  { connector, secrets, redact }: ModelServices,
): Promise<ChatModel> {
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
  return withDeadlines(withRedaction(chat, redact, undefined), deadlines);
}
