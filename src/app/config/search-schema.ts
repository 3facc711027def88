import type { JsonSchema } from "../../kernel/index.ts";
import { apiSettings, modelName } from "../../model/index.ts";

/** The schema for `tools.search`. */
export const searchSchema: JsonSchema = {
  type: "object",
  description: "How the right tools are found for a goal.",
  additionalProperties: false,
  properties: {
    embedder: {
      description:
        "What tells texts that mean alike: offline (word vectors that come with haft, for many languages), encoder (the English sentence model of the package haft-encoder; the default where that is installed, offline where not), none (words alone decide), or a model of your own.",
      anyOf: [
        { enum: ["offline", "encoder", "none"] },
        apiSettings("/embeddings", "An API that speaks as OpenAI's does at /embeddings.", {
          dimensions: {
            type: "integer",
            minimum: 1,
            maximum: 16_384,
            description: "Numbers of a vector, where the model leaves a choice.",
          },
        }),
        {
          type: "object",
          description: "A model of the package @huggingface/transformers, which you install beside haft.",
          additionalProperties: false,
          required: ["provider"],
          properties: {
            provider: { const: "transformers" },
            model: {
              ...modelName,
              description: "Its name on the hub, from which the package gets its files at the first use.",
            },
            folder: {
              type: "string",
              minLength: 1,
              description:
                "The folder of the model's files: config.json, tokenizer.json, onnx/model.onnx. Nothing is downloaded.",
            },
          },
          oneOf: [{ required: ["model"] }, { required: ["folder"] }],
        },
      ],
    },
    usage: {
      type: "boolean",
      description:
        "Remember, on this machine alone, which tool served which message, and find it first for others like it (default true).",
    },
  },
};
