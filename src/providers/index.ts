export { createApiEmbedder } from "./api-embedder.ts";
export { ModelError } from "./errors.ts";
export { modelOpeners } from "./model-openers.ts";
