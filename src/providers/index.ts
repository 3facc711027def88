export { createApiEmbedder } from "./api-embedder.ts";
export { modelProviderEntries, openChatModel } from "./model-providers.ts";
export type { ChatModelSettings, ModelProviderEntry } from "./provider-entry.ts";
