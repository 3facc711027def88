import { Argument, type Command, Option } from "commander";
import { type App, type Profile, strayEntries } from "../../app/index.ts";
import { isRecord, nearestNames } from "../../base/index.ts";
import {
  type Availability,
  type CallContext,
  type LLMTarget,
  llmTargets,
  type Tool,
} from "../../kernel/index.ts";
import { agentOption, checkAgent } from "../agent-option.ts";
import { awaitServers } from "../await-servers.ts";
import { CliError } from "../errors.ts";
import { addExamples } from "../examples.ts";
import { profileOverride } from "../profile-option.ts";
import type { Session } from "../session.ts";

interface ToolsOptions {
  readonly category?: string;
  readonly cost?: boolean;
  readonly target?: LLMTarget;
  readonly profile?: Profile;
  readonly yes?: boolean;
  readonly why?: string;
  readonly agent?: string;
  readonly channel: string;
}

const actions = ["list", "show", "search", "lint", "test", "new"] as const;
/** What is about the files that tools are written in. */
type FileAction = "lint" | "test" | "new";

function isFileAction(what: string): what is FileAction {
  return what === "lint" || what === "test" || what === "new";
}

async function ofFiles(
  session: Session,
  what: FileAction,
  words: readonly string[],
  { yes = false }: Pick<ToolsOptions, "yes">,
): Promise<void> {
  const { lintTools, newTool, testTools } = await import("./tool-files.ts");
  if (what === "lint") await lintTools(session, words);
  else if (what === "test") await testTools(session, words, yes);
  else await newTool(session, words);
}

export function defineTools(command: Command, session: Session): void {
  command
    .addArgument(new Argument("[what]", "what to do").choices(actions).default("list"))
    .argument(
      "[words...]",
      "for show and new: a tool's name; for search: what it should do; for lint: files; for test: names (default: all)",
    )
    .option("--category <name>", "only the tools of one category")
    .option("--cost", "count the tokens of each definition, as --target takes it")
    .addOption(
      new Option(
        "--target <api>",
        "whose form of definitions --json prints and --cost counts (default: haft's own; for --cost openai)",
      ).choices(llmTargets),
    )
    .addOption(profileOverride())
    .option("--why <name>", "whether a tool is shown, callable and allowed, and what to change")
    .addOption(agentOption("as if this agent called: what it may not call is marked"))
    .option("--channel <name>", "as if calls came by this channel, which rules may go by", "cli")
    .option("-y, --yes", "for test: answer yes to what would ask; rules that deny still deny")
    .action(async (what: string, words: readonly string[], options: ToolsOptions) => {
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
        if (what !== "list" || words.length > 0)
          throw new CliError(
            "CLI_USAGE",
            "Cannot say why: give the name alone, as in `haft tools --why bash`",
          );
        const { explainTool } = await import("./tools-why.ts");
        return explainTool(session, app, options.why, context);
      }
      const availability = (tool: Tool) => app.executor.toolset(context).of(tool.name);
      if (what === "list" && words.length > 0) {
        throw new CliError(
          "CLI_USAGE",
          `Cannot list "${words.join(" ")}": to look for tools, use \`haft tools search\``,
        );
      }
      const tools = chosenTools(app, options.category);
      if (what === "show") await show(session, app, words, options);
      else if (what === "search") await search(session, app, tools, words, { ...options, availability });
      else if (options.cost === true) await cost(session, app, tools, options.target ?? "openai");
      else await list(session, app, tools, { ...options, availability });
    });
  addExamples(command, [
    ["haft tools", "all tools, one line each"],
    ["haft tools show grep", "what one tool does and takes"],
    ["haft tools search replace text in a file", "the tools that come nearest"],
    ["haft tools --cost --target openai", "what the definitions cost in a model's context"],
    ["haft tools --json --target anthropic", "the definitions, as that API takes them"],
    ["haft tools --why bash --agent architect", "whether that agent has it, and what to change"],
    ["haft tools new deploy", "write a first tool in Markdown: agent/tools/deploy.md"],
    [
      "haft tools lint",
      "what is wrong with the files of tools, with line and column; leaves with 1 for an error",
    ],
    ["haft tools test deploy", "run the examples in its file, through the gate; leaves with 1 if one fails"],
  ]);
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
  session.warn(
    strayEntries(app.agents.limitsOf(context), app.registry.list()).map(({ entry, list, place, nearest }) => {
      const hint = nearest.length === 0 ? "" : `; did you mean ${nearest.join(" or ")}`;
      return `${list} has "${entry}", which names no tool${hint} (${place ?? "of the call"})`;
    }),
  );
}

interface ListOptions extends Pick<ToolsOptions, "target"> {
  readonly availability: (tool: Tool) => Availability;
}

async function list(
  session: Session,
  app: App,
  tools: readonly Tool[],
  { target, availability }: ListOptions,
): Promise<void> {
  if (session.asJson) {
    session.terminal.json(toData(app, tools, target, availability));
    return;
  }
  const [{ renderToolList }, { obstacleTo }] = await Promise.all([
    import("../tool-text.ts"),
    import("../availability-text.ts"),
  ]);
  const marks = (tool: Tool) => obstacleTo(availability(tool));
  session.terminal.out(
    renderToolList(tools, { quarantined: app.registry.quarantined(), marks }, session.terminal),
  );
}

async function show(
  session: Session,
  app: App,
  words: readonly string[],
  options: ToolsOptions,
): Promise<void> {
  const [name] = words;
  if (name === undefined || words.length > 1) {
    throw new CliError("CLI_USAGE", "Cannot show a tool: give one name, as in `haft tools show grep`");
  }
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
    session.terminal.json(toData(app, [tool], options.target)[0]);
    return;
  }
  const { renderTool } = await import("../tool-text.ts");
  session.terminal.out(renderTool(tool, app.registry.schemaOf(name) ?? {}, session.terminal));
}

async function search(
  session: Session,
  app: App,
  tools: readonly Tool[],
  words: readonly string[],
  options: ListOptions,
): Promise<void> {
  if (words.length === 0) {
    throw new CliError(
      "CLI_USAGE",
      "Cannot search: say what the tool should do, as in `haft tools search read a file`",
    );
  }
  const { searchTools } = await import("../tool-search.ts");
  const found = searchTools(words.join(" "), tools, (name) => app.registry.schemaOf(name)).map(
    ({ tool }) => tool,
  );
  if (found.length === 0)
    session.terminal.err("No tool shares a word with that; `haft tools` lists all of them\n");
  await list(session, app, found, options);
}

async function cost(session: Session, app: App, tools: readonly Tool[], target: LLMTarget): Promise<void> {
  const [{ countTokens, tokenizerName }, { renderCosts }] = await Promise.all([
    import("../token-cost.ts"),
    import("../tool-text.ts"),
  ]);
  const definitions = definitionsOf(app, tools, target);
  const counts = await countTokens(definitions.map(({ definition }) => definition));
  const costs = definitions.map(({ name }, at) => ({ name, tokens: counts[at] as number }));
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (session.asJson) session.terminal.json({ tokenizer: tokenizerName, target, total, tools: costs });
  else session.terminal.out(renderCosts(costs, { target, tokenizer: tokenizerName }, session.terminal));
}

/** The definitions of `tools`, in their order. A tool that can't be used has none. */
function definitionsOf(
  app: App,
  tools: readonly Tool[],
  target: LLMTarget,
): { name: string; definition: Readonly<Record<string, unknown>> }[] {
  const byName = new Map(
    app.registry.toLLMTools(target).map((definition) => [nameIn(definition), definition]),
  );
  return tools.flatMap(({ name }) => {
    const definition = byName.get(name);
    return definition === undefined ? [] : [{ name, definition }];
  });
}

function nameIn(definition: Readonly<Record<string, unknown>>): unknown {
  const { function: inner } = definition as { readonly function?: unknown };
  return isRecord(inner) ? inner["name"] : definition["name"];
}

/** A tool as data: what the definition of an API says of it, or, where none is named, all that haft knows. */
function toData(
  app: App,
  tools: readonly Tool[],
  target: LLMTarget | undefined,
  availability?: (tool: Tool) => Availability,
): unknown[] {
  if (target !== undefined) return definitionsOf(app, tools, target).map(({ definition }) => definition);
  return tools.map((tool) => {
    const { name, title, category, description, annotations, version } = tool;
    const has = availability?.(tool);
    return {
      name,
      ...(title !== undefined && { title }),
      category,
      description,
      annotations,
      version,
      parameters: app.registry.schemaOf(name),
      ...(has !== undefined && { shown: has.shown.is, callable: has.callable.is, allowed: has.allowed.is }),
    };
  });
}
