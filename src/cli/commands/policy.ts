import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Argument, type Command } from "commander";
import type { App, HaftConfig, ShadowOptions } from "../../app/index.ts";
import { getErrorMessage } from "../../base/index.ts";
import type { CallContext, Mode } from "../../kernel/index.ts";
import { readCallArguments } from "../calls/arguments.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { exitCodes } from "../exit-codes.ts";
import { awaitServers } from "../mcp/await-servers.ts";
import { argumentOption } from "../options/argument.ts";
import { modeOverride } from "../options/mode.ts";
import { strayOption } from "../options/stray.ts";
import type { Session } from "../session.ts";

const actions = ["list", "explain", "test", "shadow"] as const;
type Action = (typeof actions)[number];

interface PolicyOptions {
  readonly arg: readonly string[];
  readonly mode?: Mode;
  readonly agent?: string;
  readonly channel?: string;
  readonly untrusted?: boolean;
  readonly asTrusted?: boolean;
  readonly all?: boolean;
  readonly file?: string;
  readonly since?: string;
  readonly tool?: string;
}

/** The options that mean something for each action. */
const actionOptions: Readonly<Record<Action, readonly (keyof PolicyOptions)[]>> = {
  list: ["mode", "asTrusted", "all"],
  explain: ["arg", "mode", "agent", "channel", "untrusted", "asTrusted"],
  test: ["mode", "asTrusted"],
  shadow: ["file", "since", "tool"],
};

export function definePolicy(command: Command, session: Session): void {
  command
    .addArgument(new Argument("[what]", "what to do").choices(actions).default("list"))
    .argument(
      "[name]",
      "for explain: a tool; for test: a file with policyTests (default: the configuration's)",
    )
    .argument("[json]", "for explain: the arguments, as for `haft call`")
    .addOption(argumentOption("for explain: one argument, as for `haft call`"))
    .addOption(modeOverride())
    .option("--agent <id>", "for explain: as if this agent called (default: none)")
    .option("--channel <name>", "for explain: as if the call came by this channel", "cli")
    .option("--untrusted", "for explain: as if its arguments held data from outside")
    .option("--as-trusted", "take the project's file whole, trusted or not, to see what it would do")
    .option("--all", "for list: every rule about secrets and programs, on a line of its own")
    .option("--file <file>", "for shadow: judge past calls as if this file were the project's")
    .option(
      "--since <when>",
      "for shadow: only calls since then: 30m, 2h, 7d, or a date such as 2026-01-31 (default: all)",
    )
    .option("--tool <name>", "for shadow: only calls of this tool (default: all)")
    .action(
      async (what: Action, name: string | undefined, json: string | undefined, options: PolicyOptions) => {
        checkUse(command, what, name, json);
        await run(session, what, { name, json, options });
      },
    );
  addExamples(command, [
    ["haft policy", "the rules in force, in order, and where each comes from"],
    ["haft policy explain bash --arg command='npm test'", "what decides that call, and what would allow it"],
    ["haft policy explain write --arg path=a --arg content=b --mode plan", "the same in another mode"],
    ["haft policy test --as-trusted", "run policyTests before `haft trust`; leaves with 1 if one fails"],
    ["haft policy shadow --since 7d", "what shadowPermissions would have decided otherwise"],
    ["haft policy shadow --file new.config.yml", "the same for a file, over the calls in the ledger"],
  ]);
  command.addHelpText(
    "after",
    "\nNothing runs and nobody is asked. `haft policy explain` leaves with 0 where the call would run,\nwith 7 where a person would be asked, and with 4 where it would be refused.",
  );
}

/** What was typed but means nothing for the action is refused: it would be passed over. */
function checkUse(command: Command, what: Action, name: string | undefined, json: string | undefined): void {
  const stray = strayOption(command, actionOptions[what]);
  const word = what === "explain" ? undefined : what === "test" ? json : name;
  if (stray === undefined && word === undefined) return;
  throw new CliError(
    "CLI_USAGE",
    `Cannot run "haft policy ${what}" with ${stray ?? `"${word}"`}: it takes no such thing; \`haft policy --help\` shows what it takes`,
  );
}

interface Typed {
  readonly name: string | undefined;
  readonly json: string | undefined;
  readonly options: PolicyOptions;
}

async function run(session: Session, what: Action, { name, json, options }: Typed): Promise<void> {
  const app = await session.openApp({
    ...(options.mode !== undefined && { mode: options.mode }),
    ...(options.asTrusted === true && { asTrusted: true }),
    ...((what === "explain" || what === "test") && { sources: "once" }),
  });
  if (name !== undefined) await awaitServers(session, app, name);
  session.warn(app.loaded.warnings);
  switch (what) {
    case "list":
      return list(session, app, options.all === true);
    case "explain":
      return explain(session, app, { name, json, options });
    case "test":
      return test(session, app, name);
    case "shadow":
      return shadow(session, app, options);
    default:
      return what satisfies never;
  }
}

async function list(session: Session, app: App, all: boolean): Promise<void> {
  const [{ fitsSome }, { renderRules }] = await Promise.all([
    import("../../app/index.ts"),
    import("../text/policy.ts"),
  ]);
  const tools = app.registry.list();
  const rules = app.rules.map((one) => ({ ...one, unused: !fitsSome(one.rule, tools) }));
  if (session.asJson) session.terminal.json({ mode: app.mode, rules });
  else session.terminal.out(renderRules(rules, { mode: app.mode, all }, session.terminal));
}

async function explain(session: Session, app: App, { name, json, options }: Typed): Promise<void> {
  if (name === undefined) {
    throw new CliError("CLI_USAGE", "Cannot explain a call: name a tool; `haft tools` lists them");
  }
  const [{ explainCall, findOutcome }, { renderExplanation }, text] = await Promise.all([
    import("../../app/index.ts"),
    import("../text/policy.ts"),
    json === "-" ? readStandardInput(session) : json,
  ]);
  const params = readCallArguments(text, options.arg, app.registry.getSchema(name) ?? {});
  const explanation = await explainCall(app, name, params, toContext(app.context, options));
  const outcome = findOutcome(explanation);
  if (session.asJson) session.terminal.json({ outcome, ...explanation });
  else session.terminal.out(renderExplanation(explanation, session.terminal));
  session.exitCode = { allow: exitCodes.ok, ask: exitCodes.asks, deny: exitCodes.refused }[outcome];
}

function toContext(bounds: CallContext, { agent, channel = "cli", untrusted }: PolicyOptions): CallContext {
  return {
    ...bounds,
    origin: { channel },
    ...(agent !== undefined && { agentId: agent }),
    ...(untrusted === true && { trust: "untrusted" as const }),
  };
}

async function test(session: Session, app: App, file: string | undefined): Promise<void> {
  const [{ runPolicyTests }, { renderTests }] = await Promise.all([
    import("../../app/index.ts"),
    import("../text/policy.ts"),
  ]);
  const { policyTests: tests = [] } = file === undefined ? app.loaded.config : await readConfig(file);
  if (tests.length === 0) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot find policy tests in ${file === undefined ? "the configuration" : `"${file}"`}; write a list under policyTests:, each entry with tool, arguments and expect`,
    );
  }
  const results = await runPolicyTests(app, tests, app.context);
  const passed = results.every((result) => result.passed);
  if (!passed) session.exitCode = exitCodes.failed;
  if (session.asJson) session.terminal.json({ passed, results });
  else session.terminal.out(renderTests(results, session.terminal));
}

async function shadow(session: Session, app: App, options: PolicyOptions): Promise<void> {
  const [{ judgeRecordedCalls, readShadowNotes }, { renderDifferences }, { parseSince }] = await Promise.all([
    import("../../app/index.ts"),
    import("../text/policy.ts"),
    import("../options/since.ts"),
  ]);
  const { file, since, tool } = options;
  if (file === undefined && app.loaded.config.shadowPermissions === undefined) {
    session.warn(["there are no shadowPermissions now; what was noted earlier is shown"]);
  }
  const query = {
    ...(since !== undefined && { since: parseSince(since, Date.now()) }),
    ...(tool !== undefined && { tool }),
  };
  const config = file === undefined ? undefined : await readConfig(file);
  const { ledger } = await app.store();
  const where: ShadowOptions = { ledger, query, signal: session.signal };
  const report =
    config === undefined ? await readShadowNotes(where) : await judgeRecordedCalls(app, config, where);
  if (session.asJson) {
    session.terminal.json(report);
    return;
  }
  const { calls, passedOver, differences } = report;
  if (differences.length > 0) session.terminal.out(renderDifferences(differences, session.terminal));
  const total = differences.reduce((sum, { count }) => sum + count, 0);
  const over = passedOver === 0 ? "" : `; ${passedOver} could not be judged again`;
  session.terminal.err(`${total} of ${calls} calls would be decided otherwise${over}\n`);
}

async function readConfig(named: string): Promise<HaftConfig> {
  const { parseConfig } = await import("../../app/index.ts");
  const file = resolve(named);
  // Variables stay as they are written: rules need no values of this machine.
  return parseConfig(readText(file), file, (name) => `\${${name}}`);
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new CliError(
      "CLI_NOT_FOUND",
      `Cannot read "${file}": ${getErrorMessage(cause)}; name a file that is there`,
      {
        cause,
      },
    );
  }
}

async function readStandardInput(session: Session): Promise<string> {
  const { readAll } = await import("../calls/stdin-text.ts");
  return readAll(session.terminal.streams.stdin, session.signal);
}
