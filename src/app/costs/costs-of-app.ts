import type { App } from "../create-app.ts";
import { chooseCoreTools } from "../selection/core-tools-of.ts";
import { type CostQuestion, type CostReport, costOfTools } from "./tool-costs.ts";

/** What the tools of an installation cost, by its own budget and core. */
export function costsOfApp(
  { registry, profile, loaded: { config } }: Pick<App, "registry" | "profile" | "loaded">,
  question: Pick<CostQuestion, "target" | "tools" | "requests">,
): Promise<CostReport> {
  const { core } = chooseCoreTools(profile, config);
  return costOfTools(registry, { ...question, core, budget: config.tools?.budget });
}
