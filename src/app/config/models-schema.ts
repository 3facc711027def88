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
      model: { ...modelName, description: "The provider's name for the model." },
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
        description: "How much the model may think, unless a request says otherwise (default: its own).",
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
        description:
          "What to do if the provider withholds an answer: stop, or ask the fallback (default stop).",
      },
      contextTokens: tokens(
        "Tokens of a request and its answer together (default: what is known of the model, otherwise 32000).",
      ),
      maxOutputTokens: tokens("The longest answer (default: what is known of the model)."),
      images: {
        type: "boolean",
        description: "Whether the model takes images (default: what is known of it).",
      },
      prices: {
        type: "object",
        description: "What it costs. Without prices only tokens are counted.",
        additionalProperties: false,
        required: ["input", "output"],
        properties: {
          input: price("of the request"),
          output: price("of the answer"),
          cacheRead: price("read from its cache (default: that of input)"),
          cacheWrite: price("written to its cache (default: that of input)"),
        },
      },
      quota: {
        type: "string",
        minLength: 1,
        maxLength: 100,
        description:
          "Models with the same quota share a rate limit, so none of them is a fallback for another that reached it (default: one quota for each address and key).",
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
      template: {
        enum: ["mistral", "kimi", "any"],
        description:
          "With openai-compatible and openrouter: the family of models whose form of messages the API takes (default: by the name of the model).",
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

const taskLimit = (description: string, maximum: number): JsonSchema => ({
  type: "integer",
  minimum: 0,
  maximum,
  description,
});

/** The limits of tasks that agents start. */
const taskLimitsSchema: JsonSchema = {
  type: "object",
  description:
    "Limits of the tasks that agents start with spawn_task. The file of a project that is not trusted can only lower them.",
  additionalProperties: false,
  properties: {
    maxDepth: taskLimit("How deep tasks may start tasks; 0 starts none (default 2).", 5),
    maxActive: taskLimit("Tasks under way at once in one conversation (default 5).", 100),
    maxChildren: taskLimit("Tasks that one run may start in all (default 8).", 1_000),
    perHour: taskLimit(
      "Tasks that may be started or resumed in one conversation within an hour (default 60).",
      10_000,
    ),
    minutes: {
      type: "number",
      exclusiveMinimum: 0,
      maximum: 10_080,
      description: "Minutes that a task may work; then it pauses (default 30).",
    },
  },
};

/** The schema for `agent`. */
export const agentSchema: JsonSchema = {
  type: "object",
  description:
    "Which models are asked for what. Of the file of an untrusted project only `reflect: off` and `tasks` are taken.",
  additionalProperties: false,
  properties: {
    model: { ...nameOfModel, description: "The model that agents use, by its name in models." },
    maxSteps: {
      type: "integer",
      minimum: 1,
      maximum: 10_000,
      description:
        "The most steps of one run, unless the agent's own file says otherwise. Then the run pauses, and `haft run --resume` continues it (default 100; 50 for runs in the background).",
    },
    speaks: {
      enum: ["text", "reply"],
      description:
        "How the agent speaks, unless its own file says otherwise: what the model writes is shown (text), or only what it says with its tool reply (reply) (default text).",
    },
    reflect: {
      enum: ["off", "after-task", "on-failure", "both"],
      description:
        "When the agent reflects. after-task: once a task of the background has completed or failed, it remembers what is worth it, with at most 20,000 tokens. on-failure: when three calls in a row have failed, the model says whether to go on, plan anew or end. both: both. off: never (default after-task).",
    },
    budget: {
      type: "object",
      description:
        "Limits for requests to models. A run that reaches a limit pauses before its next request; `haft run --resume ID --budget USD` raises the run's own limit.",
      additionalProperties: false,
      properties: {
        run: { ...budgetSettings, description: "Limits of one run, with all runs that it begins." },
        agentDay: { ...budgetSettings, description: "Limits of one agent since midnight." },
        day: { ...budgetSettings, description: "Limits of the whole installation since midnight." },
      },
    },
    tasks: taskLimitsSchema,
    memoryModel: {
      ...nameOfModel,
      description:
        "The model that takes notes of conversations and sums up memory, by its name in models. It is sent the contents of memory. memory.model takes precedence.",
    },
  },
};
