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
} from "./usage-report.ts";
