import type { Tool } from "../../../kernel/index.ts";
import { getTokenUsageTool } from "./get-token-usage.ts";
import type { UsageServices } from "./usage-services.ts";
import { usageStatsTool } from "./usage-stats.ts";

/** `usage_stats`. */
export function usageTools(services: UsageServices): Tool[] {
  return [usageStatsTool(services)];
}

/** `get_token_usage`. */
export function tokenUsageTools(services: UsageServices): Tool[] {
  return [getTokenUsageTool(services)];
}
