import type { MaybePromise } from "../../base/index.ts";
import { getErrorMessage, type JsonSchema, maxSchemaDepth, nestsDeeperThan } from "../../base/index.ts";
import { EventBus, type Listener } from "../call/events.ts";
import { TargetError, ToolError } from "../errors.ts";
import {
  isStandardSchema,
  type SchemaCompiler,
  standardValidate,
  toJsonSchema,
  type Validate,
  type Validation,
} from "../tool/schema.ts";
import { completeTool, type PlainTool, type Tool } from "../tool/tool.ts";
import type { ToolCategory } from "../tool/tool-info.ts";
import { splitVersion } from "../tool/versions.ts";
import { type LLMTarget, requireTarget, type TargetTool, type ToolFormatter } from "./tool-formats.ts";
import {
  type Settled,
  type SkippedTool,
  type SourceRank,
  type ToolSource,
  ToolSources,
} from "./tool-sources.ts";

/** What a registry compiles schemas and writes definitions by. */
export interface RegistryOptions {
  /**
   * The compiler for tools whose `parameters` are raw JSON Schema. @default none: such tools are quarantined
   * at their first use
   */
  readonly compile?: SchemaCompiler;
  /**
   * The writer of definitions for model APIs. @default none: `toLLMTools` and the like then throw TARGET_NO_FORMAT
   */
  readonly format?: ToolFormatter;
  /** Told of a listener that throws. */
  readonly onError?: (error: unknown) => void;
}

/** How many tools there are, and what became of their calls. */
export interface ToolStats {
  readonly total: number;
  readonly byCategory: Readonly<Record<string, number>>;
  /** The statistics by name; of a tool with several versions those too, as `name@version`. */
  readonly callStats: Readonly<Record<string, CallStats>>;
}

/** The calls of one tool since the registry was made. */
export interface CallStats {
  readonly count: number;
  readonly failures: number;
  /** Milliseconds. */
  readonly avgDuration: number;
}

/** The tools at one moment. It never changes; the registry makes another one when it does. */
export interface ToolSnapshot {
  /** Grows with every change of the registry. */
  readonly version: number;
  /** The tools in the order of registration. */
  readonly tools: readonly Tool[];
}

/** A change of the registry: tools that came or went, or one that was put aside and why. */
export type RegistryEvent =
  | { readonly type: "tool.registered" | "tool.unregistered"; readonly names: readonly string[] }
  | ({ readonly type: "tool.quarantined"; readonly names: readonly string[] } & Omit<Quarantine, "name">);

/** A tool that can't be used, and why. */
export interface Quarantine {
  readonly name: string;
  readonly reason: string;
  /** The model API that the tool cannot be offered to, while others can. Absent: the tool cannot be used at all. */
  readonly target?: LLMTarget;
}

/**
 * All tools there are, by unique name. Schemas are compiled and converted when they are first needed and kept; one
 * that fails puts its own tool aside, with the reason, and no other. One that can't be converted for a kind of model
 * API is left out of that one alone.
 *
 * @example
 * ```ts
 * const registry = new ToolRegistry();
 * registry.register(
 *   defineTool({
 *     name: "add",
 *     description: "Add two numbers.",
 *     parameters: z.object({ a: z.number(), b: z.number() }),
 *     execute: ({ a, b }) => a + b,
 *   }),
 * );
 * registry.has("add"); // → true
 * registry.getSchema("add")?.["required"]; // → ["a", "b"]
 * (await registry.validate("add", { a: 1 })).valid; // → false
 * ```
 */
export class ToolRegistry {
  readonly #compile: SchemaCompiler | undefined;
  readonly #format: ToolFormatter | undefined;
  readonly #entries = new Map<string, Entry>();
  readonly #sources = new ToolSources();
  readonly #events: EventBus<RegistryEvent>;
  readonly #definitions = new Map<LLMTarget, readonly TargetTool["definition"][]>();
  #snapshot: ToolSnapshot | undefined;
  #aliases: ReadonlyMap<string, string> | undefined;
  #version = 0;

  constructor(options: RegistryOptions = {}) {
    this.#compile = options.compile;
    this.#format = options.format;
    this.#events = new EventBus(options.onError);
  }

  /** @throws {ToolError} TOOL_DUPLICATE, or TOOL_INVALID as `defineTool` does. */
  register(tool: PlainTool): void {
    this.registerMany([tool]);
  }

  /**
   * Registers all of them or, where one can't be, none.
   *
   * @throws {ToolError} TOOL_DUPLICATE, or TOOL_INVALID as `defineTool` does.
   */
  registerMany(tools: readonly PlainTool[]): void {
    const added: Tool[] = [];
    const names = tools.length > 1 ? new Set<string>() : undefined; // Most tools come one at a time.
    for (const plain of tools) {
      const tool = completeTool(plain);
      if (this.#entries.has(tool.name) || names?.has(tool.name) === true) throw duplicate(tool.name);
      names?.add(tool.name);
      added.push(tool);
    }
    for (const tool of added) this.#sources.own(tool);
    this.#settle({ changed: added, removed: [] });
  }

  /** False if there was none of that name. */
  unregister(name: string): boolean {
    if (!this.#entries.has(name)) return false;
    this.#settle(this.#sources.remove(name));
    return true;
  }

  /** Opens a source, whose tools may change while the program runs. @param name shown to people */
  source(name: string, rank: SourceRank): ToolSource {
    const source = this.#sources.add(name, rank);
    const put = (tools: readonly Tool[]) => {
      this.#settle(this.#sources.put(source, tools));
      return this.#sources.listSkipped(source);
    };
    return {
      name,
      put,
      skipped: () => this.#sources.listSkipped(source),
      close: () => this.#settle(this.#sources.close(source)),
    };
  }

  /** The tool of exactly this name; aliases are {@link resolveName}'s. */
  get(name: string): Tool | undefined {
    return this.#findEntry(name)?.tool;
  }

  /** Whether a tool has exactly this name. */
  has(name: string): boolean {
    return this.#findEntry(name) !== undefined;
  }

  /** The name of the tool that a call by this name means: the name itself, or that of the first tool with such an alias. */
  resolveName(name: string): string {
    if (this.has(name)) return name;
    this.#aliases ??= indexAliases(this.list());
    return this.#aliases.get(name) ?? name;
  }

  /** All tools, in the order of registration. */
  list(): readonly Tool[] {
    return this.snapshot().tools;
  }

  /** The tools of a category, in the order of registration. */
  listByCategory(category: ToolCategory): readonly Tool[] {
    return this.list().filter((tool) => tool.category === category);
  }

  /** The tools of this moment: the same value until one comes, goes or is put aside. */
  snapshot(): ToolSnapshot {
    this.#snapshot ??= Object.freeze({
      version: this.#version,
      tools: Object.freeze(Array.from(this.#entries.values(), (entry) => entry.tool)),
    });
    return this.#snapshot;
  }

  /** Told of every change, after it. The returned function ends it. */
  onChange(listener: Listener<RegistryEvent>): () => void {
    return this.#events.on(listener);
  }

  /**
   * The tools in the form that one kind of model API takes, in the order of registration. Kept until a tool changes.
   *
   * @throws {TargetError} TARGET_UNKNOWN, TARGET_NO_FORMAT, as {@link toLLMTool} and {@link fromLLMArguments} do.
   */
  toLLMTools(): readonly TargetTool<"openai">["definition"][];
  toLLMTools<Target extends LLMTarget>(target: Target): readonly TargetTool<Target>["definition"][];
  toLLMTools(target: LLMTarget = "openai"): readonly TargetTool["definition"][] {
    const format = this.#requireFormat(target);
    let definitions = this.#definitions.get(target);
    if (definitions === undefined) {
      const made: TargetTool["definition"][] = [];
      for (const entry of this.#entries.values()) {
        const converted = this.#formatFor(entry, target, format);
        if (converted !== undefined) made.push(converted.definition);
      }
      definitions = Object.freeze(made);
      this.#definitions.set(target, definitions);
    }
    return definitions;
  }

  /** Converts a single tool as {@link toLLMTools} does; undefined if it is unknown or cannot be offered to the target. */
  toLLMTool<Target extends LLMTarget>(
    name: string,
    target: Target,
  ): TargetTool<Target>["definition"] | undefined {
    const format = this.#requireFormat(target);
    const entry = this.#entries.get(name);
    return (
      entry &&
      (this.#formatFor(entry, target, format)?.definition as TargetTool<Target>["definition"] | undefined)
    );
  }

  /** The arguments a model gave for a definition of {@link toLLMTools}, as the tool itself takes them. */
  fromLLMArguments(name: string, args: unknown, target: LLMTarget): unknown {
    const format = this.#requireFormat(target);
    const entry = this.#findEntry(name);
    if (entry === undefined) return args;
    const restore = this.#formatFor(entry, target, format)?.restore;
    return restore === undefined ? args : restore(args);
  }

  /** The parameters as JSON Schema; undefined for an unknown tool, or one in quarantine. */
  getSchema(name: string): JsonSchema | undefined {
    const entry = this.#findEntry(name);
    return entry === undefined ? undefined : this.#readSchema(entry);
  }

  /**
   * Checks arguments against the parameters of a registered tool.
   *
   * @throws {ToolError} TOOL_QUARANTINED if its schema can't be used.
   */
  validate(name: string, params: unknown): MaybePromise<Validation> {
    const entry = this.#findEntry(name);
    if (entry === undefined) throw new ToolError(name, "TOOL_NOT_FOUND", `Cannot find tool "${name}"`);
    const validate = entry.validate ?? this.#compileEntry(entry);
    if (validate === undefined) {
      throw new ToolError(
        name,
        "TOOL_QUARANTINED",
        `Cannot call tool "${name}": ${entry.fault}; its schema must be put right before it can be used`,
      );
    }
    return validate(params);
  }

  /** The tools put aside, each with its reason. Faults show when a schema is first used: `checkAll` uses all of them. */
  quarantined(): readonly Quarantine[] {
    const found: Quarantine[] = [];
    for (const { tool, fault, targetFaults } of this.#entries.values())
      if (fault !== undefined) found.push({ name: tool.name, reason: fault });
      else for (const [target, reason] of targetFaults ?? []) found.push({ name: tool.name, reason, target });
    return found;
  }

  /** Why a tool is in quarantine, as far as that has shown. */
  getFault(name: string): string | undefined {
    return this.#findEntry(name)?.fault;
  }

  /** Compiles and converts one schema now. Returns its fault, or the reason why MCP clients cannot be offered it. */
  check(name: string): string | undefined {
    const entry = this.#findEntry(name);
    if (entry === undefined) return undefined;
    if (entry.validate === undefined) this.#compileEntry(entry);
    if (this.#format !== undefined) this.#formatFor(entry, "mcp", this.#format);
    return entry.fault ?? entry.targetFaults?.get("mcp");
  }

  /** The tools of all sources that are not registered, and why. */
  skipped(): readonly SkippedTool[] {
    return this.#sources.skipped();
  }

  /** Compiles and converts every schema now, and returns the tools it had to put aside. */
  checkAll(): readonly Quarantine[] {
    for (const entry of this.#entries.values()) if (entry.validate === undefined) this.#compileEntry(entry);
    if (this.#format !== undefined) this.toLLMTools("mcp");
    return this.quarantined();
  }

  /** Counts the tools, and their calls since they were registered. */
  getStats(): ToolStats {
    const byCategory = new Map<string, number>();
    const callStats: [string, CallStats][] = [];
    for (const entry of this.#entries.values()) {
      const { category, name } = entry.tool;
      byCategory.set(category, (byCategory.get(category) ?? 0) + 1);
      for (const [statName, calls] of entry.statistics(name)) callStats.push([statName, toStats(calls)]);
    }
    return {
      total: this.#entries.size,
      byCategory: Object.fromEntries(byCategory),
      callStats: Object.fromEntries(callStats),
    };
  }

  /** Counts one finished call, of a version for its tool too; the executor does it. A name that is gone is passed over. */
  updateCallStats(name: string, durationMs: number, success: boolean): void {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry.count(durationMs, success);
    this.#findEntry(name)?.count(durationMs, success);
    this.#entries.get(splitVersion(name).name)?.count(durationMs, success);
  }

  /** Finds a tool, or one version of it by `name@version`. */
  #findEntry(name: string): Entry | undefined {
    const entry = this.#entries.get(name);
    if (entry !== undefined) return entry;
    const { name: toolName, version } = splitVersion(name);
    return version === undefined ? undefined : this.#entries.get(toolName)?.findVersion(version);
  }

  #settle({ changed, removed }: Settled): void {
    const gone = removed.length === 0 ? removed : removed.filter((name) => this.#entries.delete(name));
    const come: string[] = [];
    for (const tool of changed) {
      const { name } = tool;
      const before = this.#entries.get(name);
      if (before?.tool === tool) continue;
      this.#entries.set(name, new Entry(tool, before));
      come.push(name);
    }
    if (gone.length > 0) this.#changed({ type: "tool.unregistered", names: gone });
    if (come.length > 0) this.#changed({ type: "tool.registered", names: come });
  }

  #changed(event: RegistryEvent): void {
    this.#version++;
    this.#snapshot = undefined;
    this.#aliases = undefined;
    if (this.#definitions.size > 0) this.#definitions.clear();
    this.#events.emit(event);
  }

  #quarantine(entry: Entry, thrown: unknown): undefined {
    entry.fault = getErrorMessage(thrown);
    entry.validate = undefined;
    this.#changed({ type: "tool.quarantined", names: [entry.tool.name], reason: entry.fault });
    return undefined;
  }

  #readSchema(entry: Entry): JsonSchema | undefined {
    if (entry.fault !== undefined) return undefined;
    try {
      entry.schema ??= boundedSchema(entry.tool);
      return entry.schema;
    } catch (thrown) {
      return this.#quarantine(entry, thrown);
    }
  }

  #requireFormat(target: LLMTarget): ToolFormatter {
    requireTarget(target);
    if (this.#format !== undefined) return this.#format;
    throw new TargetError(
      "TARGET_NO_FORMAT",
      "Cannot write definitions for a model API: the registry was given no `format`; take toTargetTool of haft/formats, or the ToolRegistry of haft, which has it",
    );
  }

  #formatFor(entry: Entry, target: LLMTarget, format: ToolFormatter): TargetTool | undefined {
    const schema = this.#readSchema(entry);
    if (schema === undefined || entry.targetFaults?.has(target) === true) return undefined;
    entry.targets ??= {};
    try {
      entry.targets[target] ??= format(entry.tool, schema, target);
      return entry.targets[target];
    } catch (thrown) {
      const reason = getErrorMessage(thrown);
      entry.targetFaults ??= new Map();
      entry.targetFaults.set(target, reason);
      this.#events.emit({ type: "tool.quarantined", names: [entry.tool.name], reason, target });
      return undefined;
    }
  }

  #compileEntry(entry: Entry): Validate | undefined {
    if (entry.fault !== undefined) return undefined;
    const { parameters } = entry.tool;
    try {
      if (isStandardSchema(parameters)) entry.validate = standardValidate(parameters);
      else if (this.#compile !== undefined) entry.validate = this.#compile(toJsonSchema(parameters));
      else
        throw new TypeError(
          "its parameters are raw JSON Schema, and the registry was given no `compile`: take compileJsonSchema of haft/schema, or the ToolRegistry of haft, which has it",
        );
      return entry.validate;
    } catch (thrown) {
      return this.#quarantine(entry, thrown);
    }
  }
}

interface Calls {
  count: number;
  failures: number;
  totalMs: number;
}

/** One tool and what was worked out of it so far. */
class Entry {
  readonly tool: Tool;
  validate: Validate | undefined;
  schema: JsonSchema | undefined;
  targets: Partial<Record<LLMTarget, TargetTool>> | undefined;
  /** Reasons why the tool cannot be offered to some model APIs; other uses are not affected. */
  targetFaults: Map<LLMTarget, string> | undefined;
  calls: Calls | undefined;
  fault: string | undefined;
  readonly #versions: ReadonlyMap<string, Entry> | undefined;

  constructor(tool: Tool, before?: Entry) {
    this.tool = tool;
    this.calls = before?.calls;
    const { versions } = tool;
    this.#versions =
      versions &&
      new Map(
        Array.from(versions.all, ([version, one]) => [version, new Entry(one, before?.findVersion(version))]),
      );
  }

  findVersion(version: string): Entry | undefined {
    if (this.#versions !== undefined) return this.#versions.get(version);
    return version === this.tool.version ? this : undefined;
  }

  count(durationMs: number, success: boolean): void {
    this.calls ??= { count: 0, failures: 0, totalMs: 0 };
    this.calls.count++;
    this.calls.totalMs += durationMs;
    if (!success) this.calls.failures++;
  }

  /** The statistics of the tool, and of each version that was called. */
  *statistics(name: string): Iterable<readonly [string, Calls]> {
    if (this.calls !== undefined) yield [name, this.calls];
    for (const [version, entry] of this.#versions ?? []) yield* entry.statistics(`${name}@${version}`);
  }
}

function indexAliases(tools: readonly Tool[]): ReadonlyMap<string, string> {
  const pairs = tools.flatMap(({ name, aliases = [] }) => aliases.map((alias) => [alias, name] as const));
  return new Map(pairs.reverse());
}

function boundedSchema({ parameters }: Tool): JsonSchema {
  const schema = toJsonSchema(parameters);
  if (nestsDeeperThan(schema, maxSchemaDepth))
    throw new TypeError(
      `its schema is nested more than ${maxSchemaDepth} levels deep; split the tool or describe less`,
    );
  return schema;
}

function toStats({ count, failures, totalMs }: Calls): CallStats {
  return { count, failures, avgDuration: totalMs / count };
}

function duplicate(name: string): ToolError {
  return new ToolError(
    name,
    "TOOL_DUPLICATE",
    `Cannot register tool "${name}": the name is taken; unregister the other one first, or rename one`,
  );
}
