import type { JsonSchema } from "../../base/index.ts";
import { searchProviderNames } from "./network-options.ts";

/** `tools.webSearch` */
export const webSearchSettings: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["provider"],
  properties: {
    provider: { enum: searchProviderNames },
    apiKey: {
      type: "string",
      description: "The key, for example ${TAVILY_API_KEY}, or ${secret:NAME} for a stored secret.",
    },
    engineId: { type: "string", description: "Google's search engine id (cx)." },
    baseUrl: { type: "string" },
    maxResults: { type: "integer", minimum: 1, maximum: 20 },
  },
};

/** `tools.webRead` */
export const webReadSettings: JsonSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    provider: { enum: ["local", "jina"] },
    baseUrl: { type: "string" },
    apiKey: { type: "string", description: "The key, written as that of webSearch." },
  },
};
