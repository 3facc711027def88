export type { UsageServices } from "./usage-services.ts";
export { tokenUsageTools, usageTools } from "./usage-tools.ts";
