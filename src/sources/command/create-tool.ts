import { resolve } from "node:path";
import { cutTail, type MaybePromise } from "../../base/index.ts";
import { fromHome } from "../../host/index.ts";
import {
  appendIssues,
  type CallContext,
  type CheckContext,
  type Effect,
  type Tool,
  type ToolContent,
  type ToolContext,
  ToolValidationError,
  toJsonSchema,
} from "../../kernel/index.ts";
import { compileJsonSchema } from "../../schema/index.ts";
import { SourceError } from "../errors.ts";
import { chainBehaviour } from "./chain-work.ts";
import { toParameterSchema } from "./parameters.ts";
import type { Values } from "./parts.ts";
import type { CommandWork, McpWork, UserTool, Work } from "./user-tool.ts";
import { describeVariables, fillVariables } from "./variables.ts";

/** A command of one call. */
export interface CommandRun {
  /** A line as bash reads it, or a program and its arguments, which no shell reads. */
  readonly command: string | readonly [program: string, ...args: string[]];
  readonly cwd: string;
  readonly hosts: readonly string[];
  readonly unconfined: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

/** Judges and runs commands as those of `bash` are. The app gives it. */
export interface CommandRunner {
  /** `environment` has the variables as they are written, not yet with their values. */
  effects(run: CommandRun, context: CallContext): Promise<readonly Effect[]>;
  /** Throws what the command would fail to start with, before a person is asked. */
  check(run: Pick<CommandRun, "cwd">, context: CheckContext): MaybePromise<void>;
  run(
    run: CommandRun,
    context: ToolContext,
  ): Promise<{ readonly content: ToolContent; readonly exitCode: number }>;
}

/** What the tools that users write work with. */
export interface UserToolServices {
  readonly commands: CommandRunner;
  /** The project folder: where commands start, unless they say otherwise. */
  readonly folder: string;
  /** A variable of haft's own environment for a tool whose file names it; throws for what no tool gets. */
  readonly variable: (name: string) => string | null;
  /** A tool of an MCP server as it is offered, by the server's own names; undefined where it is not. Absent: there are no servers. */
  readonly mcpTool?: (server: string, tool: string) => Promise<Tool | undefined>;
  /** Has a host program do something. Absent: there is none. */
  readonly callBridge?: (action: string, args: unknown, context: ToolContext) => MaybePromise<unknown>;
}

export interface ToolIdentity {
  readonly origin: string;
  readonly pack: string;
  readonly version: string;
  /** The description in place of the tool's own. */
  readonly description?: string;
}

/** The tool that a definition describes. */
export function createTool(definition: UserTool, identity: ToolIdentity, services: UserToolServices): Tool {
  const { id, title, description, category, parameters, timeoutMs, confirm, icon, override, work } =
    definition;
  return {
    name: id,
    title,
    description,
    category: category ?? (work.kind === "mcp" ? "mcp" : "custom"),
    parameters: toParameterSchema(parameters),
    annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
    timeoutMs,
    numbersAsText: true,
    ...(confirm && { confirm }),
    ...(override && { override }),
    ...(icon !== undefined && { icons: [{ src: /^(https|data):/.test(icon) ? icon : `icon:${icon}` }] }),
    ...identity,
    ...describeBehaviour(id, work, services),
  };
}

function describeBehaviour(
  name: string,
  work: Work,
  services: UserToolServices,
): Pick<Tool, "execute" | "effects" | "check" | "secrets" | "composes"> {
  switch (work.kind) {
    case "chain":
      return chainBehaviour(name, work);
    case "command":
      return commandBehaviour(name, work, services);
    case "mcp":
      return mcpBehaviour(name, work, services);
    case "bridge":
      return {
        execute: (args, context) => {
          if (services.callBridge === undefined) throw noServer(name, "a host program");
          return services.callBridge(work.action, args, context);
        },
      };
    default:
      return work satisfies never;
  }
}

/** What the server's own tool does, and what policy sees of it; its schema has to be met too. */
function mcpBehaviour(
  name: string,
  { server, tool }: McpWork,
  { mcpTool }: UserToolServices,
): Pick<Tool, "execute" | "effects" | "check"> {
  const find = async () => {
    const found = await mcpTool?.(server, tool);
    if (found === undefined) throw noServer(name, `the tool "${tool}" of the MCP server "${server}"`);
    return found;
  };
  return {
    effects: async (args, context) => {
      const found = await find();
      await checkArguments(name, found, args);
      return (await found.effects?.(args, context)) ?? [];
    },
    check: async (args, context) => (await find()).check?.(args, context),
    execute: async (args, context) => {
      const found = await find();
      await checkArguments(name, found, args);
      return found.execute(args, context);
    },
  };
}

/** @throws {ToolValidationError} */
async function checkArguments(name: string, { parameters }: Tool, args: unknown): Promise<void> {
  const schema = toJsonSchema(parameters);
  const checked = await compileJsonSchema(schema)(args);
  if (checked.valid) return;
  throw new ToolValidationError(
    name,
    appendIssues(`Cannot call "${name}" with these arguments:`, checked.issues, args, schema),
    { details: { issues: checked.issues } },
  );
}

function noServer(name: string, what: string): SourceError {
  return new SourceError(
    "SOURCE_NOT_CONNECTED",
    `Cannot run "${name}": it needs ${what}, and this installation does not have it; see \`haft doctor\``,
  );
}

function commandBehaviour(
  name: string,
  work: CommandWork,
  { commands, folder, variable }: UserToolServices,
): Pick<Tool, "execute" | "effects" | "check" | "secrets"> {
  const { command, variables, hosts, unconfined } = work;
  const cwd = resolveFolder(work.cwd, folder);
  const secrets = variables.flatMap((one) => ("secret" in one ? [one.secret] : []));
  return {
    ...(secrets.length > 0 && { secrets: Array.from(new Set(secrets)) }),
    effects: async (values: Values, context) => {
      const environment = describeVariables(variables);
      return commands.effects(
        { command: command.fill(values), cwd, hosts, unconfined, environment },
        context,
      );
    },
    check: (_values: Values, context) => commands.check({ cwd }, context),
    execute: async (values: Values, context) => {
      const environment = await fillVariables(variables, values, {
        variable,
        secret: (secret) => context.secret(secret),
      });
      const { content, exitCode } = await commands.run(
        { command: command.fill(values), cwd, hosts, unconfined, environment },
        context,
      );
      if (exitCode !== 0) throw failed(name, exitCode, content);
      return content;
    },
  };
}

function resolveFolder(cwd: string, project: string): string {
  if (cwd === "project") return project;
  return resolve(project, fromHome(cwd === "home" ? "~" : cwd));
}

/** What programs say last is mostly why; the gate shows what came before. */
const tailChars = 1000;

function failed(name: string, exitCode: number, { blocks }: ToolContent): SourceError {
  const text = blocks.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  // From the begin of a line, if it is not all one line.
  const shown = text.length > tailChars ? `…\n${cutTail(text, tailChars).replace(/^.*\n(?=.)/, "")}` : text;
  return new SourceError("COMMAND_FAILED", `"${name}" failed with exit code ${exitCode}:\n${shown}`, {
    details: { exitCode },
  });
}
