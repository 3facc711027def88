export { type BudgetState, readBudgets } from "./budgets.ts";
export {
  countTokens,
  type DayRange,
  findDays,
  type ReportOptions,
  readUsage,
  readUsageBy,
  toCsv,
  toJson,
  toReportJson,
  type UsageReport,
  type UsageReportJson,
  type UsageTotalJson,
} from "./usage-report.ts";
