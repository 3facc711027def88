import { nearestNames } from "../../base/index.ts";
import type { Fields } from "../fields.ts";
import type { Problems } from "../problems.ts";
import { type ChainWork, readChainWork } from "./chain-work.ts";
import { type Command, readCommand } from "./command.ts";
import { type Parameter, type ParameterType, parameterTypes, readParameters } from "./parameters.ts";
import { listSlots, readVariables, type Variable } from "./variables.ts";

/** A tool as a user wrote it, in Markdown or in a manifest. */
export interface UserTool {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly category: string | undefined;
  readonly parameters: readonly Parameter[];
  readonly timeoutMs: number;
  readonly confirm: boolean;
  readonly icon: string | undefined;
  readonly override: boolean;
  readonly work: Work;
}

/** What does the work. */
export type Work = CommandWork | McpWork | BridgeWork | ChainWork;

export interface CommandWork {
  readonly kind: "command";
  readonly command: Command;
  readonly variables: readonly Variable[];
  /** `project`, `home`, or a path: absolute, from the home folder (`~/…`) or from the project. */
  readonly cwd: string;
  readonly hosts: readonly string[];
  readonly unconfined: boolean;
}

export interface McpWork {
  readonly kind: "mcp";
  readonly server: string;
  readonly tool: string;
}

export interface BridgeWork {
  readonly kind: "bridge";
  /** What the host program offers, by its name there. */
  readonly action: string;
}

export interface UserToolFormat {
  /** @default true */
  readonly needsDescription?: boolean;
  /** @default all */
  readonly types?: readonly ParameterType[];
  /** Fields of the format that are not of every tool. They are read before the others are refused. */
  readonly others?: (fields: Fields) => void;
  /** What the format allows beside `command`. */
  readonly beside: "mcp" | "bridge";
}

const defaultSeconds = 60;
const mostSeconds = 86_400;

/** Reads all fields of one tool; undefined where it can't be used, and `problems` says why. */
export function readUserTool(
  fields: Fields,
  problems: Problems,
  { needsDescription = true, types = parameterTypes, others, beside }: UserToolFormat,
): UserTool | undefined {
  const id = fields.text("id", {
    required: true,
    pattern: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/,
    form: 'a letter, then letters, digits, "-" and "_", at most 64 characters',
  });
  const title = fields.text("name", { required: true, most: 200 });
  const description = fields.text("description", { required: needsDescription, most: 5000 });
  const category = fields.text("category", { most: 64 });
  const parameters = readParameters(fields, types);
  const seconds = fields.number("timeout", { least: 0.001, most: mostSeconds }) ?? defaultSeconds;
  const confirm = fields.flag("confirm") ?? false;
  const icon = fields.text("icon", {
    most: 20_000,
    pattern: /^(?:[a-z0-9][a-z0-9_-]{0,63}|https:\/\/\S+|data:image\/\S+)$/i,
    form: 'a name such as "rocket", an https: address, or a data: image',
  });
  const override = fields.flag("override") ?? false;
  const work = readWork(fields, { parameters, problems, beside, id });
  others?.(fields);
  fields.refuseOthers();
  if (problems.hasErrors || id === undefined || title === undefined || work === undefined) return undefined;
  return {
    id,
    title,
    description: description ?? title,
    category,
    parameters,
    timeoutMs: Math.ceil(seconds * 1000),
    confirm,
    icon,
    override,
    work,
  };
}

interface WorkSurroundings {
  readonly parameters: readonly Parameter[];
  readonly problems: Problems;
  readonly beside: UserToolFormat["beside"];
  readonly id: string | undefined;
}

function readWork(fields: Fields, around: WorkSurroundings): Work | undefined {
  const isMcp = around.beside === "mcp" && fields.flag("mcp") === true;
  const isBridge = around.beside === "bridge" && fields.has("bridge");
  const isChain = around.beside === "mcp" && !isMcp && fields.has("steps");
  if (!isMcp && !isBridge && !isChain) return readCommandWork(fields, around);
  const instead = isChain ? "`steps`" : isMcp ? "`mcp: true`" : "`bridge`";
  for (const key of commandKeys)
    if (fields.raw(key) !== undefined)
      fields.invalid(key, `it is of a command, and this tool has ${instead} in its place; take one away`);
  if (isChain) return readChainWork(fields, around.id ?? "this tool");
  if (isBridge) {
    const action = fields.text("bridge", { required: true, most: 200 });
    return action === undefined ? undefined : { kind: "bridge", action };
  }
  const server = fields.text("server", { required: true, most: 200 });
  const tool = fields.text("tool", { most: 200 }) ?? around.id;
  return server === undefined || tool === undefined ? undefined : { kind: "mcp", server, tool };
}

const commandKeys = ["command", "shell", "environment", "cwd", "hosts", "unconfined"];

function readCommandWork(
  fields: Fields,
  { parameters, problems, beside }: WorkSurroundings,
): CommandWork | undefined {
  const shell = fields.flag("shell") ?? false;
  const variables = readVariables(fields);
  checkSlots(variables, parameters, fields);
  const listed = fields.raw("parameters");
  const complete = !Array.isArray(listed) || listed.length === parameters.length;
  const command = readCommand(fields, { parameters, complete, variables, shell, problems });
  const cwd = fields.text("cwd", { most: 4096 }) ?? "project";
  const hosts = fields.texts("hosts", {
    mostItems: 20,
    most: 300,
    pattern: /^[^\s/@*]+$/,
    form: "names of hosts, such as example.com or example.com:8080",
  });
  const unconfined = fields.flag("unconfined") ?? false;
  if (beside === "mcp")
    for (const key of ["server", "tool"])
      if (fields.raw(key) !== undefined) fields.invalid(key, "only a tool with `mcp: true` has it");
  return command && { kind: "command", command, variables, cwd, hosts, unconfined };
}

function checkSlots(variables: readonly Variable[], parameters: readonly Parameter[], fields: Fields): void {
  const names = parameters.map(({ name }) => name);
  for (const { parameter } of variables.flatMap(listSlots)) {
    if (names.includes(parameter)) continue;
    const [nearest] = nearestNames(parameter, names, 1);
    fields.invalid(
      "environment",
      `there is no parameter "${parameter}"; ${nearest === undefined ? "declare it under parameters" : `did you mean {{${nearest}}}`}`,
    );
  }
}
