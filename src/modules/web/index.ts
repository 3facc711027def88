export {
  type NetworkOptions,
  type SearchProviderName,
  type WebReadOptions,
  type WebSearchOptions,
} from "./network-options.ts";
export { networkTools } from "./network-tools.ts";
export { withStoredKeys } from "./stored-keys.ts";
