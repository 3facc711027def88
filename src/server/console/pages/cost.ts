import { findDays, readBudgets, readUsage, toJson, toReportJson } from "../../../app/usage/index.ts";
import { systemZone } from "../../../base/index.ts";
import type { UsageKey } from "../../../modules/usage/index.ts";
import type { CostApi } from "../api/index.ts";
import type { Handlers } from "../route.ts";
import { badInput, readWhole } from "./input.ts";

const latest = Number.MAX_SAFE_INTEGER;

/** The page of cost and speed. */
export const costHandlers: Handlers<CostApi> = {
  "GET /cost": async ({ app, records }, { query, signal }) => {
    const days = readWhole(query, "days", { least: 1, most: 3650, fallback: 30 });
    const scope = app.context.scope ?? "local";
    const { usage } = await app.store();
    // Otherwise requests of killed programs would count as under way.
    await usage.recover();
    const range = findDays(days, Date.now(), systemZone);
    const [report, byTool, callsByDay, budgets] = await Promise.all([
      readUsage(usage, { scope, zone: systemZone, range }),
      records.countCalls({ since: range.since }, "tool", signal),
      records.countCalls({ since: range.since }, "day", signal),
      readBudgets(app, Date.now()),
    ]);
    return { ...toReportJson(report), byTool, callsByDay, budgets };
  },

  "GET /cost/span": async ({ app, records }, { query, signal }) => {
    if (!query.has("since") || !query.has("until")) throw badInput('"since" and "until" are Unix ms');
    const since = readWhole(query, "since", { least: 0, most: latest, fallback: 0 });
    const until = readWhole(query, "until", { least: 0, most: latest, fallback: latest });
    if (until <= since) throw badInput('"until" must be after "since"');
    const scope = app.context.scope ?? "local";
    const { usage } = await app.store();
    const read = async (by: readonly UsageKey[]) =>
      (await usage.totals({ scope, since, until, zone: systemZone, by })).map(toJson);
    const [[total], byModel, byAgent, byTool] = await Promise.all([
      read([]),
      read(["model"]),
      read(["agent"]),
      records.countCalls({ since, until }, "tool", signal),
    ]);
    if (total === undefined) throw new TypeError("a query without keys gives one total");
    return { total, byModel, byAgent, byTool };
  },
};
