export { type BudgetState, readBudgets } from "./budgets.ts";
export {
  countTokens,
  type DayRange,
  findDays,
  readUsage,
  readUsageBy,
  toCsv,
  toJson,
  toReportJson,
  type UsageReport,
  type UsageReportJson,
  type UsageTotalJson,
} from "./usage-report.ts";
