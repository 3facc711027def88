import {
  type CallContext,
  coreTools,
  defineTool,
  selectionToolNames,
  type Tool,
  type ToolExecutor,
  ToolInteraction,
  type ToolRegistry,
} from "../../src/kernel/index.ts";
import { type SelectionServices, selectionTools } from "../../src/modules/finding/tools/index.ts";
import { PackCatalogue } from "../../src/search/index.ts";
import { createTestExecutor, RecordingLedger } from "./test-executor.ts";

/** A tool of a pack, with two parameters. */
export function makeTool(pack: string, name: string, more: Partial<Tool> = {}): Tool {
  return {
    ...defineTool({
      name,
      description: `Do ${name.replaceAll("_", " ")}. And more.`,
      pack,
      parameters: {
        type: "object",
        properties: { path: { type: "string" }, limit: { type: "integer" } },
        required: ["path"],
        additionalProperties: false,
      },
      execute: () => `${name} done`,
    }),
    ...more,
  };
}

/** The tools of the category `git`. */
export const gitNames: readonly string[] = [
  "get_git_status",
  "git_commit",
  "git_pull",
  "git_push",
  "git_create_branch",
  "git_merge",
  "git_create_pr",
  "git_changed_files",
  "git_log",
  "git_diff",
  "checkout_branch",
];
export const git: readonly Tool[] = gitNames.map((name) => makeTool("git", name));
const files = ["read_file", "write_file", "grep"].map((name) => makeTool("files", name));

export interface WorldOptions {
  readonly tools?: readonly Tool[];
  readonly context?: CallContext;
  readonly callHidden?: boolean;
  readonly passing?: boolean;
  readonly found?: readonly string[];
  /** Which tool needs another one. */
  readonly needed?: Readonly<Record<string, string>>;
  readonly note?: string;
  readonly goals?: SelectionServices["goals"];
}

export interface SelectionWorld {
  readonly executor: ToolExecutor;
  readonly registry: ToolRegistry;
  readonly ledger: RecordingLedger;
  readonly interaction: ToolInteraction;
  /** Another interaction of the same caller. */
  readonly begin: (handle?: string) => ToolInteraction;
  /** The result, or code and error, of a call in the interaction. */
  readonly call: (name: string, params: unknown, over?: CallContext) => Promise<unknown>;
  /** Names. */
  readonly shown: () => string[];
}

/** The five tools over a registry; the search finds what it is told to, as far as the caller has it. */
export function openWorld({
  tools = [...git, ...files],
  context = {},
  found = [],
  needed = {},
  note,
  goals,
  ...more
}: WorldOptions = {}): SelectionWorld {
  const ledger = new RecordingLedger();
  const { executor, registry } = createTestExecutor(tools, { ledger });
  registry.registerMany(
    selectionTools({
      registry,
      goals,
      packs: new PackCatalogue(registry),
      search: {
        search: async (_goal, { limit, toolset }) => {
          const usable = toolset.usable().filter(({ name }) => found.includes(name));
          return {
            found: usable.slice(0, limit).map((tool) => ({ tool, neededBy: needed[tool.name] })),
            ...(note !== undefined && { note }),
          };
        },
      },
    }).map((tool) => ({ ...tool, pack: "selection" })),
  );
  const begin = (handle = "") =>
    ToolInteraction.from(handle, { toolset: () => executor.toolset(context), core: coreTools.task, ...more });
  const interaction = begin();
  const call = async (name: string, params: unknown, over: CallContext = { interaction }) => {
    const result = await executor.execute(name, params, { ...context, ...over });
    return result.success ? result.result : { code: result.code, error: result.error };
  };
  const shown = () => interaction.shown.map(({ name }) => name);
  return { executor, registry, ledger, interaction, begin, call, shown };
}

/** Of the profile `task`, as far as there are tools. */
export const core: readonly string[] = ["read_file", "write_file", ...selectionToolNames];
