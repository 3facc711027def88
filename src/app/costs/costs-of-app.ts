import type { App } from "../create-app.ts";
import { chooseCoreTools } from "../selection/core-tools-of.ts";
import { type CostQuestion, type CostReport, costOfTools } from "./tool-costs.ts";

/**
 * Counts what the tools of an installation take of a request, by tool and by group, and what a lean list would save.
 * Budget and core are those of its configuration.
 *
 * @example
 * ```ts
 * await using app = await createApp({ folder: process.cwd(), home: new Home(`${process.cwd()}/.home`) });
 * const { tools } = await costsOfApp(app, { target: "openai" });
 * tools.some(({ name, tokens }) => name === "read" && tokens > 50); // → true
 * ```
 */
export function costsOfApp(
  { registry, profile, loaded: { config } }: Pick<App, "registry" | "profile" | "loaded">,
  question: Pick<CostQuestion, "target" | "tools" | "requests">,
): Promise<CostReport> {
  const { core } = chooseCoreTools(profile, config);
  return costOfTools(registry, { ...question, core, budget: config.tools?.budget });
}
