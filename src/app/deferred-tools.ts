import { lazy } from "../base/index.ts";
import {
  type JsonSchema,
  type PlannedCall,
  type StandardSchema,
  type Tool,
  type ToolAnnotations,
  unwrapCallTool,
} from "../kernel/index.ts";
import catalogue from "./catalogue.json" with { type: "json" };

/** What of a tool is known without its code. `catalogue.json` has it for all we ship. */
export interface ToolEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly category: string;
  readonly parameters: JsonSchema;
  readonly annotations: ToolAnnotations;
  readonly version: string;
  /** Milliseconds; `call` where it depends on the arguments. */
  readonly timeoutMs?: number | "call";
  readonly maxOutputChars?: number;
  readonly secretParams?: readonly string[];
  readonly verify?: string;
  readonly mayRepeat?: true;
  /** A person is asked before each call. */
  readonly confirm?: true;
  /** It stands for the call that its arguments name, as `call_tool` does. */
  readonly unwraps?: true;
  /** It only calls other tools; `call` where its arguments say which. */
  readonly composes?: true | "call";
  /** An estimate of what its definition for an MCP client costs a model. */
  readonly definitionTokens: number;
}

/** The entries of tools by their parameters, which a copy of a tool keeps. */
const entriesByParameters = new WeakMap<object, ToolEntry>();

/** What the catalogue says of a tool's cost; undefined for a tool that is not in it as it is. */
export function findKnownTokens({ name, description, parameters }: Tool): number | undefined {
  const entry = entriesByParameters.get(parameters);
  return entry?.name === name && entry.description === description ? entry.definitionTokens : undefined;
}

/** The entries of a family; none of one that is not in the catalogue yet. */
function listEntries(family: string): readonly ToolEntry[] {
  return (catalogue as unknown as Readonly<Record<string, readonly ToolEntry[]>>)[family] ?? [];
}

/**
 * The tools of a family as a client sees them. Their code is loaded when one of them is first called: a client asks
 * for the list of tools long before that, and most start-ups are for the list alone.
 */
export function deferTools(family: string, load: () => Promise<readonly Tool[]>): Tool[] {
  const loaded = lazy(load);
  return listEntries(family).map((entry) => deferTool(entry, loaded));
}

/** The names of the tools of a family. */
export function listToolNames(family: string): readonly string[] {
  return listEntries(family).map(({ name }) => name);
}

function deferTool(entry: ToolEntry, load: () => Promise<readonly Tool[]>): Tool {
  const { parameters, timeoutMs, unwraps, composes, definitionTokens: _, ...shown } = entry;
  let loaded: Tool | undefined;
  const tool = async (): Promise<Tool> => {
    loaded ??= (await load()).find(({ name }) => name === entry.name);
    if (loaded === undefined)
      throw new TypeError(`Cannot load tool "${entry.name}": the catalogue is out of date`);
    return loaded;
  };
  // Arguments are validated first, so from then on the tool is there.
  const there = (): Tool => loaded as Tool;
  const schema = deferSchema(parameters, async () => (await tool()).parameters as StandardSchema);
  entriesByParameters.set(schema, entry);
  return {
    ...shown,
    parameters: schema,
    ...(timeoutMs !== undefined && {
      timeoutMs: timeoutMs === "call" ? (params: never) => computeTimeout(there(), params) : timeoutMs,
    }),
    ...(unwraps === true && { unwrap: unwrapCallTool }),
    ...(composes !== undefined && {
      composes: composes === "call" ? (params: never) => plannedBy(there(), params) : composes,
    }),
    effects: (params: never, context) => there().effects?.(params, context) ?? [],
    check: (params: never, context) => there().check?.(params, context),
    execute: (params: never, context) => there().execute(params, context),
  };
}

function plannedBy({ composes }: Tool, params: never): readonly PlannedCall[] {
  return typeof composes === "function" ? composes(params) : [];
}

function computeTimeout({ timeoutMs }: Tool, params: never): number {
  return typeof timeoutMs === "function" ? timeoutMs(params) : (timeoutMs as number);
}

function deferSchema(schema: JsonSchema, load: () => Promise<StandardSchema>): StandardSchema {
  let loaded: StandardSchema | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "haft",
      validate: (value) =>
        loaded === undefined
          ? load().then((schema) => {
              loaded = schema;
              return schema["~standard"].validate(value);
            })
          : loaded["~standard"].validate(value),
      jsonSchema: { input: () => schema as Record<string, unknown> },
    },
  };
}
