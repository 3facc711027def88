import type { ChatModel, ModelProvider } from "../model/index.ts";
import { checkSdkProvider, openSdkModel, type SdkProvider } from "./ai-sdk/sdk-chat-model.ts";
import { sdkProviders } from "./ai-sdk/sdk-providers.ts";
import type { ChatModelSettings, ModelProviderEntry } from "./provider-entry.ts";

/** Every provider there is. */
export const modelProviderEntries: readonly ModelProviderEntry[] = sdkProviders.map(toEntry);

function toEntry(provider: SdkProvider): ModelProviderEntry {
  return {
    id: provider.id,
    package: provider.package,
    ...(provider.baseUrl !== undefined && { baseUrl: provider.baseUrl }),
    open: (settings) => openSdkModel(provider, settings),
    check: () => checkSdkProvider(provider),
  };
}

/**
 * A model of the named provider.
 *
 * @throws {ModelError} MODEL_SETUP
 */
export function openChatModel(provider: ModelProvider, settings: ChatModelSettings): ChatModel {
  const entry = modelProviderEntries.find(({ id }) => id === provider);
  if (entry === undefined) throw new TypeError(`There is no provider "${provider}"`);
  return entry.open(settings);
}
