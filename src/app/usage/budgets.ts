import type { BudgetSettings } from "../../agent/index.ts";
import { systemZone, type Zone } from "../../base/index.ts";
import type { App } from "../create-app.ts";
import { findDays } from "./usage-report.ts";

/** A budget for today, and how much of it was spent. */
export interface BudgetState {
  /** The agent that has the budget; undefined for the budget of the installation. */
  readonly agent: string | undefined;
  readonly limits: BudgetSettings;
  /** Amounts spent today, whether limited or not. Requests under way count with the most that they may take. */
  readonly spent: Required<BudgetSettings>;
  /** The share that is left of the limit nearest to its end, from 0 to 1. */
  readonly left: number;
  /** Models without a known price. `spent` does not include the cost of requests to them. */
  readonly unpricedModels: readonly string[];
}

/** Reads today's budgets: the one of the installation, and one for each agent that asked a model since midnight. */
export async function readBudgets(
  app: Pick<App, "store" | "loaded" | "context">,
  now: number,
  zone: Zone = systemZone,
): Promise<readonly BudgetState[]> {
  const { day, agentDay } = app.loaded.config.agent?.budget ?? {};
  const { usage } = await app.store();
  const scope = app.context.scope ?? "local";
  const { since } = findDays(1, now, zone);
  const read = async (limits: BudgetSettings, agent?: string): Promise<BudgetState> => {
    const query = { scope, since, ...(agent !== undefined && { agentId: agent }) };
    const { costMicros, tokens, steps, ms, unpricedModels } = await usage.spent(query);
    const spent = { usd: costMicros / 1_000_000, tokens, steps, minutes: ms / 60_000 };
    return { agent, limits, spent, left: findLeft(limits, spent), unpricedModels };
  };
  const agents = agentDay === undefined ? [] : await usage.totals({ scope, since, zone, by: ["agent"] });
  return [
    ...(day === undefined ? [] : [await read(day)]),
    ...(agentDay === undefined
      ? []
      : await Promise.all(agents.flatMap(({ keys }) => (keys.agent ? [read(agentDay, keys.agent)] : [])))),
  ];
}

const kinds = ["usd", "tokens", "steps", "minutes"] as const;

function findLeft(limits: BudgetSettings, spent: Required<BudgetSettings>): number {
  const shares = kinds.map((kind) => {
    const limit = limits[kind];
    if (limit === undefined) return 1;
    return limit === 0 ? 0 : Math.max(0, 1 - spent[kind] / limit);
  });
  return Math.min(...shares);
}
