import { Argument, type Command, Option } from "commander";
import { type App, type Profile, strayEntries, strayPins } from "../../../app/index.ts";
import { nearestNames } from "../../../base/index.ts";
import {
  type Availability,
  type CallContext,
  type LLMTarget,
  llmTargets,
  type Tool,
  type ToolInfo,
} from "../../../kernel/index.ts";
import { CliError } from "../../errors.ts";
import { addExamples } from "../../examples.ts";
import { awaitServers } from "../../mcp/await-servers.ts";
import { agentOption, checkAgent } from "../../options/agent.ts";
import { profileOverride } from "../../options/profile.ts";
import { strayOption } from "../../options/stray.ts";
import { toNumber } from "../../options/whole-number.ts";
import type { Session } from "../../session.ts";

interface ToolsOptions {
  readonly category?: string;
  readonly cost?: boolean;
  readonly target?: LLMTarget;
  readonly requests?: number;
  readonly all?: boolean;
  readonly profile?: Profile;
  readonly yes?: boolean;
  readonly ts?: boolean;
  readonly why?: string;
  readonly goal?: string;
  readonly agent?: string;
  readonly channel: string;
}

const actions = ["list", "show", "search", "packs", "versions", "lint", "test", "new"] as const;
type Action = (typeof actions)[number];

/** The options that mean something for one action alone; the others say whose tools are meant. */
const actionOptions: Readonly<Record<Action, readonly (keyof ToolsOptions)[]>> = {
  list: ["category", "target", "cost", "requests", "all", "why", "goal"],
  show: ["target"],
  search: ["category", "target"],
  packs: ["target"],
  versions: [],
  lint: [],
  test: ["yes"],
  new: ["ts"],
};

/** What is about the files that tools are written in. */
type FileAction = "lint" | "test" | "new";

/** What was typed but means nothing for the action is refused: it would be passed over. */
function checkUse(command: Command, what: Action, { cost, requests, all, why, goal }: ToolsOptions): void {
  const stray = strayOption(command, [...actionOptions[what], "profile", "agent", "channel"]);
  if (stray !== undefined)
    throw new CliError(
      "CLI_USAGE",
      `Cannot run "haft tools ${what}" with ${stray}: it takes no such thing; \`haft tools --help\` shows what it takes`,
    );
  if (cost !== true && (requests !== undefined || all === true))
    throw new CliError(
      "CLI_USAGE",
      `Cannot use ${all === true ? "--all" : "--requests"} alone: it is for --cost; \`haft tools --help\` shows what it takes`,
    );
  if (goal !== undefined && why === undefined)
    throw new CliError(
      "CLI_USAGE",
      "Cannot rank for a goal alone: name the tool with --why, or use `haft tools search`",
    );
  if (goal?.trim() === "")
    throw new CliError(
      "CLI_USAGE",
      'Cannot rank for an empty goal: say what the tool should do, as in `--goal "read a file"`',
    );
}

function isFileAction(what: string): what is FileAction {
  return what === "lint" || what === "test" || what === "new";
}

async function ofFiles(
  session: Session,
  what: FileAction,
  words: readonly string[],
  { yes = false, ts = false }: Pick<ToolsOptions, "yes" | "ts">,
): Promise<void> {
  if (what === "test") {
    const { testTools } = await import("./try.ts");
    return testTools(session, words, yes);
  }
  const { lintTools, newTool } = await import("./files.ts");
  if (what === "lint") await lintTools(session, words);
  else await newTool(session, words, ts);
}

export function defineTools(command: Command, session: Session): void {
  command
    .addArgument(new Argument("[what]", "what to do").choices(actions).default("list"))
    .argument(
      "[words...]",
      "for show and new: a tool's name; for search: what it should do; for versions and test: names (default: all); for lint: files",
    )
    .option("--category <name>", "only the tools of one category")
    .option("--cost", "what servers, packs and tools take of each request, and what a lean list saves")
    .addOption(
      new Option(
        "--target <api>",
        "whose form of definitions --json prints and --cost counts (default: haft's own; for --cost openai)",
      ).choices(llmTargets),
    )
    .addOption(
      new Option("--requests <n>", "for --cost: of one interaction (default 10)").argParser(
        toNumber(1, 1000),
      ),
    )
    .option("--all", "for --cost: list every tool")
    .addOption(profileOverride())
    .option("--why <name>", "whether a tool is shown, callable and allowed, and what to change")
    .option("--goal <text>", "for --why: how the search ranks it for this")
    .addOption(agentOption("as if this agent called: what it may not call is marked"))
    .option("--channel <name>", "as if calls came by this channel, which rules may go by", "cli")
    .option("--ts", "for new: a tool in TypeScript, in agent/extensions/tools")
    .option("-y, --yes", "for test: answer yes to what would ask; rules that deny still deny")
    .action(async (what: Action, words: readonly string[], options: ToolsOptions) => {
      checkUse(command, what, options);
      if (isFileAction(what)) return ofFiles(session, what, words, options);
      const app = await session.openApp({
        ...(options.profile !== undefined && { profile: options.profile }),
        ...(options.agent !== undefined && { agent: options.agent }),
        sources: "once",
      });
      session.warn(app.loaded.warnings);
      await awaitServers(session, app);
      await checkAgent(app, options.agent);
      const context: CallContext = { ...app.context, origin: { channel: options.channel } };
      warnOfStrays(session, app, context);
      if (options.why !== undefined) {
        if (words.length > 0)
          throw new CliError(
            "CLI_USAGE",
            "Cannot say why: give the name alone, as in `haft tools --why bash`",
          );
        const { explainTool } = await import("./why.ts");
        return explainTool(session, app, { name: options.why, goal: options.goal }, context);
      }
      if (what === "list" && words.length > 0)
        throw new CliError(
          "CLI_USAGE",
          `Cannot list "${words.join(" ")}": to look for tools, use \`haft tools search\``,
        );
      if (what === "versions") {
        const { compareVersions } = await import("./versions.ts");
        return compareVersions(session, app, words);
      }
      await show(session, app, { ...options, what, words, context });
    });
  addExamples(command, [
    ["haft tools", "all tools, one line each"],
    ["haft tools show grep", "what one tool does and takes"],
    ["haft tools search replace text in a file", "the tools that come nearest, with their scores"],
    ["haft tools packs", "the packs and servers they come in, with what each is for"],
    [
      "haft tools --cost --target anthropic",
      "what each server and tool takes of a request, and what a lean list saves",
    ],
    ["haft tools --json --target anthropic", "the definitions, as that API takes them"],
    ["haft tools --why bash --agent architect", "whether that agent has it, and what to change"],
    ['haft tools --why web_read --goal "read a web page"', "how the search ranks it, and why"],
    ["haft tools versions deploy", "how the calls of each version of it came out"],
    ["haft tools new deploy", "write a first tool in Markdown: agent/tools/deploy.md"],
    [
      "haft tools new deploy --ts",
      "write one in TypeScript: agent/extensions/tools/deploy.ts, with its types",
    ],
    [
      "haft tools lint",
      "what is wrong with the files of tools, with line and column; leaves with 1 for an error",
    ],
    [
      "haft tools test deploy",
      "run the examples in its file (Markdown or TypeScript) through the gate; leaves with 1 if one fails",
    ],
  ]);
}

interface Shown extends ToolsOptions {
  readonly what: string;
  readonly words: readonly string[];
  readonly context: CallContext;
}

async function show(session: Session, app: App, { what, words, context, ...options }: Shown): Promise<void> {
  const toolset = app.executor.toolset(context);
  const availability = (tool: ToolInfo) => toolset.of(tool.name);
  const tools = chosenTools(app, options.category);
  if (what === "show") return showTool(session, app, words, options);
  if (what === "search") {
    const { searchTools } = await import("./search.ts");
    return searchTools(session, app, words, { ...options, tools, toolset });
  }
  if (what === "packs") {
    const { listPacks } = await import("./packs.ts");
    return listPacks(session, app, { target: options.target ?? "openai" });
  }
  if (options.cost !== true) return list(session, app, tools, { ...options, availability });
  const { showCosts } = await import("./cost.ts");
  const costed = { shown: toolset.shown(), listed: tools };
  return showCosts(session, app, costed, { ...options, target: options.target ?? "openai" });
}

function chosenTools(app: App, category: string | undefined): readonly Tool[] {
  if (category === undefined) return app.registry.list();
  const tools = app.registry.listByCategory(category);
  if (tools.length > 0) return tools;
  const categories = [...new Set(app.registry.list().map((tool) => tool.category))];
  throw new CliError(
    "CLI_NOT_FOUND",
    `Cannot find tools of category "${category}"; there are ${categories.join(", ")}`,
  );
}

/** An entry that names no tool may be a slip, and what it was to forbid is not forbidden. */
function warnOfStrays(session: Session, app: App, context: CallContext): void {
  const tools = app.registry.list();
  const strays = [
    ...strayEntries(app.agents.findLimits(context), tools),
    ...strayPins(app.loaded.config.tools?.pinned ?? [], tools),
  ];
  session.warn(
    strays.map(({ entry, list, place, nearest }) => {
      const hint = nearest.length === 0 ? "" : `; did you mean ${nearest.join(" or ")}`;
      return `${list} has "${entry}", which names no tool${hint} (${place ?? "of the call"})`;
    }),
  );
}

interface ListOptions extends Pick<ToolsOptions, "target"> {
  readonly availability: (tool: ToolInfo) => Availability;
}

async function list(
  session: Session,
  app: App,
  tools: readonly Tool[],
  { target, availability }: ListOptions,
): Promise<void> {
  if (session.asJson) {
    const { toolData } = await import("../../../app/views/index.ts");
    session.terminal.json(toolData(app, tools, { target, availability }));
    return;
  }
  const [{ renderToolList }, { obstacleTo }] = await Promise.all([
    import("../../text/tool.ts"),
    import("../../text/availability.ts"),
  ]);
  const marks = (tool: Tool) => obstacleTo(availability(tool));
  session.terminal.out(
    renderToolList(tools, { quarantined: app.registry.quarantined(), marks }, session.terminal),
  );
}

async function showTool(
  session: Session,
  app: App,
  words: readonly string[],
  options: Pick<ToolsOptions, "target">,
): Promise<void> {
  const [word] = words;
  if (word === undefined || words.length > 1) {
    throw new CliError("CLI_USAGE", "Cannot show a tool: give one name, as in `haft tools show grep`");
  }
  const name = app.registry.resolveName(word);
  const tool = app.registry.get(name);
  if (tool === undefined) {
    const nearest = nearestNames(
      name,
      app.registry.list().map((other) => other.name),
    );
    const hint = nearest.length > 0 ? `did you mean ${nearest.join(" or ")}` : "`haft tools` lists them";
    throw new CliError("CLI_NOT_FOUND", `Cannot find tool "${name}"; ${hint}`, { details: { nearest } });
  }
  if (session.asJson) {
    const { toolData } = await import("../../../app/views/index.ts");
    session.terminal.json(toolData(app, [tool], { target: options.target })[0]);
    return;
  }
  const { renderTool } = await import("../../text/tool.ts");
  session.terminal.out(renderTool(tool, app.registry.getSchema(name) ?? {}, session.terminal));
}
