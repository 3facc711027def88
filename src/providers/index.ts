export { type ApiEmbedderOptions, createApiEmbedder } from "./api-embedder.ts";
export { type ApiModelOptions, createApiModel } from "./api-model.ts";
export { ModelError, type ModelErrorCode, modelErrorCodes } from "./errors.ts";
