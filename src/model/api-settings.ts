import type { JsonSchema } from "../base/index.ts";

/** The kinds of API that haft asks models by, as `provider` names them. */
export const modelProviders = ["openai-compatible", "anthropic", "openai", "google", "openrouter"] as const;
export type ModelProvider = (typeof modelProviders)[number];

export const modelName: JsonSchema = { type: "string", minLength: 1, maxLength: 300 };

/** The schema for a model behind an API that speaks as OpenAI's does, at a path such as `/embeddings`. */
export function apiSettings(
  path: string,
  description: string,
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    type: "object",
    description,
    additionalProperties: false,
    required: ["provider", "url", "model"],
    properties: {
      provider: { const: "openai-compatible" },
      url: {
        type: "string",
        pattern: "^https?://",
        description: `Up to what comes before ${path}: https://api.openai.com/v1, http://127.0.0.1:11434/v1.`,
      },
      model: modelName,
      apiKey: {
        type: "string",
        description: "The key, for example ${OPENAI_API_KEY}, or ${secret:NAME} for a stored secret.",
      },
      ...more,
    },
  };
}
