import { isRecord, parseJson } from "../../base/index.ts";
import { unwrapCall } from "../call/called-tool.ts";
import type { ToolRegistry } from "../registry/registry.ts";
import type { ValidationIssue } from "../tool/schema.ts";
import type { Tool } from "../tool/tool.ts";
import type { Redact } from "./redactor.ts";

/** Stands where an argument is not shown. */
const hiddenArgument = "[secret]";

/** What of a call's arguments must not be shown. */
export interface HiddenArguments {
  /** Whether the argument of this name is hidden whole. */
  readonly hides: (name: string) => boolean;
  /** The arguments as they may be shown. */
  readonly show: (params: unknown) => unknown;
  /** Every text that is hidden, by the name of its argument. */
  readonly textsIn: (params: unknown) => Iterable<readonly [name: string, text: string]>;
}

/**
 * What to hide of a call's arguments; undefined: nothing. Beside the secret ones, those that the tool does not
 * have: they may be misspelt. Of a tool that is not there, what any tool calls secret. Of one that calls others, what
 * is secret in the calls that are written in its arguments.
 */
export function findHiddenArguments(
  registry: ToolRegistry,
  toolName: string,
  params: unknown,
): HiddenArguments | undefined {
  const tool = registry.get(toolName);
  if (tool === undefined) {
    const secret = new Set(registry.list().flatMap((other) => other.secretParams ?? []));
    return secret.size === 0 ? undefined : hiddenByName((name) => secret.has(name));
  }
  const { secretParams: secret, composes } = tool;
  if (secret !== undefined) {
    const properties = registry.getSchema(toolName)?.["properties"];
    const known: object = isRecord(properties) ? properties : {};
    return hiddenByName((name) => secret.includes(name) || !Object.hasOwn(known, name));
  }
  if (composes === undefined) return undefined;
  const calls = new WrittenCalls(registry, composes === true);
  try {
    return calls.textsIn(params).next().done === true ? undefined : calls;
  } catch {
    return unreadable;
  }
}

/** What can't be looked at is not shown either. */
const unreadable: HiddenArguments = { hides: () => true, show: () => hiddenArgument, textsIn: () => [] };

function hiddenByName(hides: (name: string) => boolean): HiddenArguments {
  return {
    hides,
    show(params) {
      const read = readJson(params);
      if (!isRecord(read)) return read === undefined || read === null ? read : hiddenArgument;
      return Object.fromEntries(
        Object.entries(read).map(([name, value]) => [name, hides(name) ? hiddenArgument : value]),
      );
    },
    *textsIn(params) {
      const read = readJson(params) ?? params;
      if (!isRecord(read)) yield* textsIn("arguments", read, 0);
      else for (const [name, value] of Object.entries(read)) if (hides(name)) yield* textsIn(name, value, 0);
    },
  };
}

/** The calls in the arguments of one that makes them: as data, or in the text of a program. */
class WrittenCalls implements HiddenArguments {
  readonly #registry: ToolRegistry;
  readonly #isProgram: boolean;
  #keeping: readonly Tool[] | undefined;

  constructor(registry: ToolRegistry, isProgram: boolean) {
    this.#registry = registry;
    this.#isProgram = isProgram;
  }

  hides(): boolean {
    return false;
  }

  show(params: unknown, depth = 0): unknown {
    const read = depth === 0 ? (readJson(params) ?? params) : params;
    if (typeof read === "string") return this.#showProgram(read);
    if (typeof read !== "object" || read === null || depth > mostLevels) return read;
    if (Array.isArray(read)) return read.map((item) => this.show(item, depth + 1));
    const hidden = this.#hiddenIn(read);
    const shown = ([key, value]: [string, unknown]) => [
      key,
      hidden !== undefined && key === argumentsKey ? hidden.show(value) : this.show(value, depth + 1),
    ];
    return Object.fromEntries(Object.entries(read).map(shown));
  }

  *textsIn(params: unknown, depth = 0): Generator<readonly [string, string], void> {
    const read = depth === 0 ? (readJson(params) ?? params) : params;
    if (typeof read === "string") yield* this.#literalsIn(read);
    if (typeof read !== "object" || read === null || depth > mostLevels) return;
    const hidden = Array.isArray(read) ? undefined : this.#hiddenIn(read);
    for (const [key, value] of Object.entries(read)) {
      if (hidden !== undefined && key === argumentsKey) yield* hidden.textsIn(value);
      else yield* this.textsIn(value, depth + 1);
    }
  }

  /** The hidden arguments of `{tool, arguments}` and of `{name, arguments}`. */
  #hiddenIn(written: object): HiddenArguments | undefined {
    const { tool, name, arguments: args } = written as Readonly<Record<string, unknown>>;
    const called = typeof tool === "string" ? tool : name;
    if (typeof called !== "string" || args === undefined) return undefined;
    const meant = unwrapCall(this.#registry, called, args);
    const hidden = findHiddenArguments(this.#registry, meant.name, meant.params);
    return hidden !== undefined && meant.name !== called
      ? hiddenByName((key) => key === argumentsKey)
      : hidden;
  }

  /** A program is not understood: of tools that it names, the texts that stand beside the names of what they hide. */
  *#literalsIn(program: string): Generator<readonly [string, string], void> {
    const secret = this.#secretIn(program);
    if (secret.size === 0) return;
    for (const [, name = "", , literal = ""] of program.matchAll(literals))
      if (secret.has(name)) yield [name, literal.slice(1, -1)];
  }

  #showProgram(program: string): string {
    const secret = this.#secretIn(program);
    if (secret.size === 0) return program;
    return program.replace(literals, (whole, name: string, between: string) =>
      secret.has(name) ? `${name}${between}"${hiddenArgument}"` : whole,
    );
  }

  #secretIn(program: string): ReadonlySet<string> {
    if (!this.#isProgram) return none;
    this.#keeping ??= this.#registry.list().filter(({ secretParams }) => secretParams !== undefined);
    return new Set(
      this.#keeping.flatMap(({ name, secretParams = [] }) => (program.includes(name) ? secretParams : [])),
    );
  }
}

const none: ReadonlySet<string> = new Set();
const argumentsKey = "arguments";
const mostLevels = 100;
const literals = /\b([\w$]+)(["'`]?\s*[:=]\s*)("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g;

function readJson(params: unknown): unknown {
  return typeof params === "string" ? parseJson(params) : params;
}

const maxDepth = 8;

function* textsIn(name: string, value: unknown, depth: number): Generator<[string, string]> {
  if (typeof value === "string" || typeof value === "number") yield [name, String(value)];
  else if (typeof value === "object" && value !== null && depth < maxDepth)
    for (const part of Object.values(value)) yield* textsIn(name, part, depth + 1);
}

/** Issues whose messages can't quote a hidden argument: some schema libraries say what they received. */
export function withoutValues(
  issues: readonly ValidationIssue[],
  params: unknown,
  { hides }: HiddenArguments,
): ValidationIssue[] {
  return issues.map((issue) => {
    const { path, message } = issue;
    const [name] = path;
    if (name !== undefined && !hides(String(name))) return issue;
    const names = isRecord(params) ? Object.keys(params).map((key) => JSON.stringify(key)) : [];
    return { path, message: ["it does not fit", ...names.filter((key) => message.includes(key))].join(" ") };
  });
}

/** A value as JSON can say it, without secrets; the same value where there are none in it. */
export function redactValue(value: unknown, redact: Redact | undefined): unknown {
  if (redact === undefined || value === undefined) return value;
  try {
    const written = JSON.stringify(value);
    const text = redact(written);
    return text === written ? value : (parseJson(text) ?? text);
  } catch {
    return "[withheld: it could not be searched for secrets]";
  }
}
