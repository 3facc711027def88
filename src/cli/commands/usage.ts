import { type Command, Option } from "commander";
import type { DayRange } from "../../app/usage/index.ts";
import { formatDay, systemZone } from "../../base/index.ts";
import { type UsageKey, usageKeys } from "../../modules/usage/index.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { toNumber } from "../options/whole-number.ts";
import type { Session } from "../session.ts";
import type { CountedTools } from "../usage/count-tools.ts";

interface UsageOptions {
  readonly days: number;
  readonly by?: UsageKey | "tool";
  readonly csv?: boolean;
}

export function defineUsage(command: Command, session: Session): void {
  command
    .option("--days <n>", "how many days, today included, 1 to 3650", toNumber(1, 3650), 30)
    .addOption(
      new Option("--by <key>", "one table alone (default: days, models, agents and purposes)").choices([
        ...usageKeys,
        "tool",
      ]),
    )
    .option("--csv", "print comma-separated values, by day unless --by says otherwise")
    .action((options: UsageOptions) => run(session, options));
  addExamples(command, [
    ["haft usage", "cost and tokens of the last 30 days: a bar for each, by model, agent and purpose"],
    ["haft usage --days 7 --by model", "what each model cost in a week"],
    ["haft usage --by run", "the dearest runs, each with all that it began"],
    ["haft usage --by tool", "how often each tool was called, from the ledger"],
    ["haft usage --days 365 --csv > usage.csv", "a line for each day, for a spreadsheet"],
  ]);
  command.addHelpText(
    "after",
    "\nTokens are input and output; what came from a cache is a part of the input. A request whose price nobody\nknows is counted as unpriced, never as free: `prices` of a model in the configuration say what it costs.",
  );
}

async function run(session: Session, { days, by, csv = false }: UsageOptions): Promise<void> {
  if (csv && session.asJson)
    throw new CliError("CLI_USAGE", "Cannot print both: choose either --csv or --json");
  if (csv && by === "tool")
    throw new CliError("CLI_USAGE", "Cannot print tools as CSV: give --json, or another --by");
  const app = await session.openApp();
  session.warn(app.loaded.warnings);
  const { usage, ledger } = await app.store();
  const { findDays } = await import("../../app/usage/index.ts");
  const range = findDays(days, Date.now(), systemZone);
  const options = { scope: app.context.scope ?? "local", zone: systemZone, range };
  if (by === "tool") {
    const { countTools } = await import("../usage/count-tools.ts");
    await showTools(session, range, await countTools(ledger, { scope: options.scope, since: range.since }));
    return;
  }
  // Otherwise requests of killed programs would count as under way.
  await usage.recover();
  const report = await import("../../app/usage/index.ts");
  if (csv) {
    const key = by ?? "day";
    session.terminal.out(report.toCsv(key, await report.readUsageBy(usage, key, options)));
    return;
  }
  const { from, to } = range;
  if (by !== undefined) {
    const totals = await report.readUsageBy(usage, by, options);
    if (session.asJson) session.terminal.json({ from, to, days, by, rows: totals.map(report.toJson) });
    else if (totals.length === 0) sayNothing(session, days);
    else {
      const { renderTotals } = await import("../usage/render-usage.ts");
      session.terminal.out(renderTotals(by, totals, session.terminal));
    }
    return;
  }
  const whole = await report.readUsage(usage, options);
  if (session.asJson) session.terminal.json(report.toReportJson(whole));
  else if (whole.total.calls === 0) sayNothing(session, days);
  else {
    const { renderUsage } = await import("../usage/render-usage.ts");
    session.terminal.out(renderUsage(whole, session.terminal));
  }
}

function sayNothing({ terminal }: Session, days: number): void {
  const span = days === 1 ? "today" : `in the last ${days} days`;
  terminal.err(
    `No model was asked for anything ${span}\n→ Requests are counted as soon as an agent of haft asks a model: docs/guide/usage.md\n`,
  );
}

async function showTools(
  { terminal, asJson }: Session,
  { from, to, days }: DayRange,
  { tools, cutAt }: CountedTools,
): Promise<void> {
  const first = cutAt === undefined ? from : formatDay(cutAt);
  if (asJson) terminal.json({ from: first, to, days, by: "tool", rows: tools });
  else if (tools.length === 0) terminal.err(`No tool was called in the last ${days} days\n`);
  else {
    const { renderTools } = await import("../usage/render-usage.ts");
    terminal.out(renderTools(tools, terminal));
  }
  if (cutAt !== undefined) terminal.err(`Only the newest calls were counted, those since ${first}\n`);
}
