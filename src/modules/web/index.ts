export { NetworkError, type NetworkErrorCode, networkErrorCodes } from "./errors.ts";
export {
  type NetworkOptions,
  type NetworkServices,
  type SearchProviderName,
  searchProviderNames,
  type WebReadOptions,
  type WebSearchOptions,
} from "./network-options.ts";
export { networkTools } from "./network-tools.ts";
export { webSearchProblem } from "./search/open-provider.ts";
export { withStoredKeys } from "./stored-keys.ts";
