export { SqlUsage } from "./store/sql-usage.ts";
export {
  type CallPurpose,
  type CallUsage,
  callPurposes,
  type ModelCallEnd,
  type NewModelCall,
  type PriceSource,
  priceSources,
  processDied,
  type Spent,
  type SpentQuery,
  type TokenCounts,
  type Usage,
  type UsageKey,
  type UsageQuery,
  type UsageTotal,
  usageKeys,
} from "./store/usage.ts";
