import type { BudgetSettings } from "../../agent/index.ts";
import { systemZone, type Zone } from "../../base/index.ts";
import type { App } from "../create-app.ts";
import { findDays } from "./usage-report.ts";

/** A budget of a day and what was spent of it. */
export interface BudgetState {
  /** The agent whose budget it is; undefined for the installation's. */
  readonly agent: string | undefined;
  readonly limits: BudgetSettings;
  /** All that was spent, limited or not: requests under way count with the most that they may take. */
  readonly spent: Required<BudgetSettings>;
  /** The smallest share of a limit that is left, from 0 to 1. */
  readonly left: number;
  /** Models of requests whose cost nobody knows, which is not in `spent`. */
  readonly unpricedModels: readonly string[];
}

/** The budgets of today: the installation's, and that of each agent that has asked a model since midnight. */
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
