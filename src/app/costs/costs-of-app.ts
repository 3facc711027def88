import { coreTools } from "../../kernel/index.ts";
import type { App } from "../create-app.ts";
import { type CostQuestion, type CostReport, costOfTools } from "./tool-costs.ts";

/** Names and globs of the tools that every list of an installation has, and which of them its owner pinned. */
export interface CoreTools {
  readonly core: readonly string[];
  readonly pinned: readonly string[];
}

type CostedApp = Pick<App, "registry" | "profile" | "loaded">;

export function coreToolsOf({ profile, loaded }: CostedApp): CoreTools {
  const { pinned = [] } = loaded.config.tools ?? {};
  return { core: [...coreTools[profile], ...pinned], pinned };
}

/** What the tools of an installation cost, by its own budget and core. */
export function costsOfApp(
  app: CostedApp,
  question: Pick<CostQuestion, "target" | "tools" | "requests">,
): Promise<CostReport> {
  const { budget } = app.loaded.config.tools ?? {};
  return costOfTools(app.registry, { ...question, core: coreToolsOf(app).core, budget });
}
