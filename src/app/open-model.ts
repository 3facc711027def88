import type { Connector } from "../host/index.ts";
import type { Model } from "../model/index.ts";
import type { Secrets } from "../modules/secrets/index.ts";
import { readApiKey } from "./api-key.ts";
import type { ApiModelConfig } from "./config/config-types.ts";

export interface ModelServices {
  readonly connector: Connector;
  readonly secrets: Pick<Secrets, "get">;
  /** Takes secrets out of what is sent: what is remembered is whatever somebody said. */
  readonly redact: (text: string) => string;
}

/**
 * The model that sums up what is in memory. Nothing is reached before it is asked.
 *
 * @throws {ModelError} MODEL_SETUP
 */
export async function openMemoryModel(
  { provider, url, model, apiKey }: ApiModelConfig,
  { connector, secrets, redact }: ModelServices,
): Promise<Model> {
  const { modelOpeners } = await import("../providers/index.ts");
  const key = { setting: "memory.model", task: "ask a model about memory" };
  const api = modelOpeners[provider]({
    connector,
    baseUrl: url,
    model,
    ...(apiKey !== undefined && { apiKey: readApiKey({ ...key, apiKey }, secrets) }),
  });
  return {
    id: api.id,
    complete: (request) =>
      api.complete({
        ...request,
        ...(request.system !== undefined && { system: redact(request.system) }),
        messages: request.messages.map(({ role, text }) => ({ role, text: redact(text) })),
      }),
  };
}
