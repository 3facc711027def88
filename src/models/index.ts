export { type ApiEmbedderOptions, createApiEmbedder } from "./api-embedder.ts";
export { ModelError, type ModelErrorCode, modelErrorCodes } from "./errors.ts";
