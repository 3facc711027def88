import type { JsonSchema } from "../../kernel/index.ts";
import { modelName, modelProviders } from "../../model/index.ts";

/** The name of a model in the configuration. */
const nameOfModel: JsonSchema = { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,63}$" };

const tokens = (description: string): JsonSchema => ({ type: "integer", minimum: 1, description });
const price = (what: string): JsonSchema => ({
  type: "number",
  minimum: 0,
  maximum: 1_000_000,
  description: `USD for a million tokens ${what}.`,
});

/** The schema for `models`. */
export const modelsSchema: JsonSchema = {
  type: "object",
  description:
    "The language models that haft may ask, by a name of your choice. `haft models` lists them, `haft models test NAME` asks one. Ignored in the file of an untrusted project.",
  maxProperties: 100,
  propertyNames: nameOfModel,
  additionalProperties: {
    type: "object",
    description: "One model, and how it is reached.",
    additionalProperties: false,
    required: ["provider", "model"],
    properties: {
      provider: {
        enum: modelProviders,
        description:
          "openai-compatible (any API that speaks as OpenAI's does at /chat/completions, servers of your own too), anthropic, or one whose package you install beside haft: openai (@ai-sdk/openai), google (@ai-sdk/google), openrouter (@openrouter/ai-sdk-provider).",
      },
      model: { ...modelName, description: "What the provider calls it." },
      url: {
        type: "string",
        pattern: "^https?://",
        description:
          "The address of the API, up to what comes before its paths: http://127.0.0.1:11434/v1 (default: the provider's own; openai-compatible has none).",
      },
      apiKey: {
        type: "string",
        description: "The key: ${secret:NAME} for a stored secret, or ${NAME} for an environment variable.",
      },
      effort: {
        enum: ["off", "low", "medium", "high"],
        description: "How much it may think, where a request says nothing else (default: its own).",
      },
      fallback: {
        type: "array",
        maxItems: 10,
        uniqueItems: true,
        items: nameOfModel,
        description: "Models that are asked in its place where it can't answer, in order.",
      },
      onRefusal: {
        enum: ["stop", "fallback"],
        description: "What becomes of an answer that its provider keeps back (default stop).",
      },
      contextTokens: tokens(
        "Tokens of a request and its answer together (default: what is known of the model, otherwise 32000).",
      ),
      maxOutputTokens: tokens("The longest answer (default: what is known of the model)."),
      images: {
        type: "boolean",
        description: "Whether it looks at pictures (default: what is known of it).",
      },
      prices: {
        type: "object",
        description: "What it costs. Without prices only tokens are counted.",
        additionalProperties: false,
        required: ["input", "output"],
        properties: {
          input: price("of the request"),
          output: price("of the answer"),
          cacheRead: price("that its cache had (default: that of input)"),
          cacheWrite: price("that went into its cache (default: that of input)"),
        },
      },
      quota: {
        type: "string",
        minLength: 1,
        maxLength: 100,
        description:
          "Models of one quota share a rate limit, so that another of them is no help (default: those of one address and key).",
      },
      jsonBy: {
        enum: ["json_schema", "json_object", "words"],
        description:
          "With openai-compatible: how JSON is asked for, beside in words: by its schema (default), as JSON of any form, or in words alone.",
      },
      maxTokensField: {
        enum: ["max_tokens", "max_completion_tokens"],
        description:
          "With openai-compatible: what the API calls the most tokens of an answer (default max_tokens).",
      },
    },
  },
};

/** The limits of one budget. */
const budgetSettings: JsonSchema = {
  type: "object",
  additionalProperties: false,
  properties: {
    usd: { type: "number", minimum: 0, description: "US dollars (default: no limit)." },
    tokens: {
      type: "integer",
      minimum: 1,
      description: "Tokens of requests and answers together (default: no limit).",
    },
    steps: { type: "integer", minimum: 1, description: "Answers of the model (default: no limit)." },
    minutes: { type: "number", exclusiveMinimum: 0, description: "Minutes of work (default: no limit)." },
  },
};

/** The schema for `agent`. */
export const agentSchema: JsonSchema = {
  type: "object",
  description: "Which models are asked for what. Ignored in the file of an untrusted project.",
  additionalProperties: false,
  properties: {
    model: { ...nameOfModel, description: "The model of models that agents work with." },
    maxSteps: {
      type: "integer",
      minimum: 1,
      maximum: 10_000,
      description:
        "The most steps of one run, where the agent's own file says nothing else; then it pauses, and `haft run --resume` lets it go on (default 100).",
    },
    budget: {
      type: "object",
      description:
        "What models may be asked for. A run that comes to a limit pauses before it asks more; `haft run --resume ID --budget USD` raises that of the run.",
      additionalProperties: false,
      properties: {
        run: { ...budgetSettings, description: "Of one run, with all that it begins." },
        agentDay: { ...budgetSettings, description: "Of one agent since midnight." },
        day: { ...budgetSettings, description: "Of the whole installation since midnight." },
      },
    },
    memoryModel: {
      ...nameOfModel,
      description:
        "The model of models that notes what conversations tell, and sums up. It is sent what is in memory. memory.model is above it.",
    },
  },
};
