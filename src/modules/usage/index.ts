export { SqlUsage } from "./store/sql-usage.ts";
export type { Tables as UsageTables } from "./store/tables.ts";
export {
  type CallPurpose,
  type CallUsage,
  type ModelCall,
  type NewModelCall,
  type SessionStep,
  type Spent,
  type SpentQuery,
  type Usage,
  type UsageKey,
  type UsageQuery,
  type UsageTotal,
  usageKeys,
} from "./store/usage.ts";
