import { join } from "node:path";
import type { App } from "../../../app/index.ts";
import { nearestNames } from "../../../base/index.ts";
import type { CallContext } from "../../../kernel/index.ts";
import type {
  ExampledTool,
  ExampleResult,
  FileProblem,
  MarkdownTool,
  ModuleExamples,
  SourceProblem,
} from "../../../sources/index.ts";
import { CliError } from "../../errors.ts";
import { exitCodes } from "../../exit-codes.ts";
import { checkToolFiles, findExtensionFolder } from "../../files/tool-files.ts";
import type { Session } from "../../session.ts";

/** A tool that a user brought in a file, or a file that should be one. */
interface FileTool extends ExampledTool {
  /** The name that a person says; {@link ExampledTool.name} may add a version. */
  readonly id: string;
  /** What keeps its examples from being called. */
  readonly obstacle: Obstacle | undefined;
}

interface Obstacle extends Pick<FileProblem, "message" | "line"> {
  /** What does not hold, in the place of an example's name. @default "not in use" */
  readonly instead?: string;
}

/** `haft tools test`: calls the examples of tools, through the gate. */
export async function testTools(session: Session, names: readonly string[], yes: boolean): Promise<void> {
  const app = await session.openApp({ sources: "once" });
  session.warn(app.loaded.warnings);
  await app.sources.ready();
  const [{ runExamples }, { isInside }, { approverFor }] = await Promise.all([
    import("../../../sources/index.ts"),
    import("../../../host/index.ts"),
    import("../../asking/terminal-approver.ts"),
  ]);
  const { tools, problems } = await checkToolFiles([], { folder: session.folder(), home: app.home });
  const folders = [app.home.folder, session.folder()].map((at) => join(findExtensionFolder(at), "tools"));
  const mayBeTool = ({ where }: SourceProblem) => folders.some((folder) => isInside(folder, where));
  const all = [...tools.map((tool) => fromMarkdown(app, tool)), ...fromExtensions(app, mayBeTool)];
  const wanted = choose(all, names);
  const context: CallContext = {
    ...app.context,
    origin: { channel: "cli" },
    signal: session.signal,
    ...(await approverFor(session, yes)),
  };
  const results: ExampleResult[] = [];
  for (const tool of wanted) {
    if (tool.obstacle === undefined)
      results.push(...(await runExamples(tool, (name, input) => app.executor.run(name, input, context))));
    else results.push(failed(tool, tool.obstacle));
  }
  if (names.length === 0 && problems.some(({ level }) => level === "error"))
    session.warn(["some files are no tools and were passed over; `haft tools lint` says why"]);
  if (results.some(({ passed }) => !passed)) session.exitCode = exitCodes.failed;
  if (session.asJson) {
    session.terminal.json({ passed: session.exitCode === exitCodes.ok, results });
    return;
  }
  const { renderExamples } = await import("../../text/tool-file.ts");
  session.terminal.out(renderExamples(results, session.folder(), session.terminal));
}

function failed(
  { name, where }: FileTool,
  { message, line, instead = "not in use" }: Obstacle,
): ExampleResult {
  return {
    tool: name,
    example: instead,
    where,
    ...(line !== undefined && { line }),
    passed: false,
    fault: message,
  };
}

function choose(tools: readonly FileTool[], names: readonly string[]): readonly FileTool[] {
  for (const name of names) {
    if (tools.some(({ id }) => id === name)) continue;
    const known = tools.map(({ id }) => id);
    const nearest = nearestNames(name, known);
    const hint =
      nearest.length > 0
        ? `did you mean ${nearest.join(" or ")}`
        : "`haft tools` lists the tools, and `haft tools lint` says what is wrong with files that should be one";
    throw new CliError("CLI_NOT_FOUND", `Cannot find a tool of a file named "${name}"; ${hint}`, {
      details: { nearest },
    });
  }
  const chosen = names.length === 0 ? tools : tools.filter(({ id }) => names.includes(id));
  if (chosen.some(({ examples, obstacle }) => examples.length > 0 || obstacle !== undefined)) return chosen;
  throw new CliError(
    "CLI_NOT_FOUND",
    "Cannot find examples to test: no such tool has any; write `examples:` into its Markdown file or `meta.examples` into its module, begin one with `haft tools new NAME`, or see with `haft tools lint` what is wrong with those that are there",
  );
}

function fromMarkdown(app: Pick<App, "registry">, tool: MarkdownTool): FileTool {
  const { label, path, examples } = tool;
  const { id } = tool.tool;
  const name = label === undefined ? id : `${id}@${label}`;
  const message = whyNotInUse(app, tool);
  return { id, name, where: path, examples, obstacle: message === undefined ? undefined : { message } };
}

/** What the gate would run under the name has to be what the file says now. */
function whyNotInUse(
  { registry }: Pick<App, "registry">,
  { tool, version, label, path }: MarkdownTool,
): string | undefined {
  const named = registry.get(tool.id);
  const registered = (label === undefined ? undefined : named?.versions?.all.get(label)) ?? named;
  if (registered?.origin === "markdown" && registered.version === version) return undefined;
  if (registered !== undefined && registered.origin !== "markdown") return nameTaken(registered.origin);
  return `"${path}" is not in use as it is now; read it, then run \`haft trust\``;
}

function nameTaken(origin = "this program"): string {
  return `the name is taken by a tool of ${origin}; rename one of them, or say \`override: true\``;
}

/** The tools that extensions make, then the modules that make none. */
function fromExtensions(
  { sources, registry }: Pick<App, "sources" | "registry">,
  mayBeTool: (problem: SourceProblem) => boolean,
): FileTool[] {
  const toTools = ({ where, extension, tools, examples, problems }: ModuleExamples) =>
    tools.map((name): FileTool => {
      const origin = registry.get(name)?.origin;
      const isTaken = origin !== `extension:${extension}`;
      const own = examples.filter(({ tool = name }) => tool === name);
      return {
        id: name,
        name,
        where,
        examples: own,
        obstacle: isTaken
          ? { message: nameTaken(origin) }
          : problems[0] && { ...problems[0], instead: "examples that can not be read" },
      };
    });
  const modules = sources.extensionExamples();
  const unused = sources.problems().filter((one) => one.code !== "SOURCE_NAME_TAKEN" && mayBeTool(one));
  return [
    ...modules.flatMap(toTools),
    ...unused.map(({ where, message, line }): FileTool => {
      const name = findExtension(where);
      return {
        id: name,
        name,
        where,
        examples: [],
        obstacle: { message, ...(line !== undefined && { line }) },
      };
    }),
  ];
}

/** `dice`, for `agent/extensions/tools/dice.ts` and for every file below `agent/extensions/tools/dice/`. */
function findExtension(file: string): string {
  const [, name = file] = /[/\\]extensions[/\\]tools[/\\]([^/\\]+)/.exec(file) ?? [];
  return name.replace(/\.m?[jt]s$/, "");
}
