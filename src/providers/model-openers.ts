import type { Model, ModelProvider } from "../model/index.ts";
import { type ApiModelOptions, createApiModel } from "./api-model.ts";

/** Makes a model of each provider. */
export const modelOpeners: Readonly<Record<ModelProvider, (options: ApiModelOptions) => Model>> = {
  "openai-compatible": createApiModel,
};
