import { type App, costsOfApp } from "../../../app/index.ts";
import type { LLMTarget, ToolInfo } from "../../../kernel/index.ts";
import type { Session } from "../../session.ts";
import { renderCosts } from "../../text/cost.ts";

export interface CostOptions {
  readonly target: LLMTarget;
  readonly requests?: number;
  readonly all?: boolean;
}

interface CostedTools {
  readonly shown: readonly ToolInfo[];
  /** Those that get a line, as far as they are shown. */
  readonly listed: readonly ToolInfo[];
}

/** `haft tools --cost`: what the definitions that a caller is shown take of each request, and what a lean list spares. */
export async function showCosts(
  session: Session,
  app: App,
  { shown, listed }: CostedTools,
  { all = false, ...question }: CostOptions,
): Promise<void> {
  const names = new Set(listed.map(({ name }) => name));
  const costs = await costsOfApp(app, { ...question, tools: shown });
  const report = { ...costs, tools: costs.tools.filter(({ name }) => names.has(name)) };
  if (session.asJson) session.terminal.json(report);
  else session.terminal.out(renderCosts(report, { all }, session.terminal));
}
