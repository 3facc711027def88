import { isRecord, parseJson } from "../base/index.ts";
import type { Redact } from "./redact.ts";
import type { ToolRegistry } from "./registry.ts";
import type { ValidationIssue } from "./schema.ts";

/** Stands where an argument is not shown. */
const hiddenArgument = "[secret]";

/** Whether an argument must not be shown. */
export type HidesArgument = (name: string) => boolean;

/**
 * What to hide of a call's arguments; undefined: nothing. Beside the secret ones, those that the tool does not
 * have: they may be misspelt. Of a tool that is not there, what any tool calls secret.
 */
export function hiddenArgumentsOf(registry: ToolRegistry, toolName: string): HidesArgument | undefined {
  const tool = registry.get(toolName);
  if (tool !== undefined) {
    const secret = tool.secretParams;
    if (secret === undefined) return undefined;
    const properties = registry.schemaOf(toolName)?.["properties"];
    const known: object = isRecord(properties) ? properties : {};
    return (name) => secret.includes(name) || !Object.hasOwn(known, name);
  }
  const secret = new Set(registry.list().flatMap((other) => other.secretParams ?? []));
  return secret.size === 0 ? undefined : (name) => secret.has(name);
}

/** The arguments as they may be shown. */
export function showArguments(params: unknown, hides: HidesArgument | undefined): unknown {
  if (hides === undefined) return params;
  const read = typeof params === "string" ? parseJson(params) : params;
  if (!isRecord(read)) return read === undefined || read === null ? read : hiddenArgument;
  return Object.fromEntries(
    Object.entries(read).map(([name, value]) => [name, hides(name) ? hiddenArgument : value]),
  );
}

/** Every text in the hidden arguments, by the name of its argument. */
export function* hiddenTexts(params: unknown, hides: HidesArgument): Generator<[name: string, text: string]> {
  const read = typeof params === "string" ? (parseJson(params) ?? params) : params;
  if (!isRecord(read)) yield* textsIn("arguments", read, 0);
  else for (const [name, value] of Object.entries(read)) if (hides(name)) yield* textsIn(name, value, 0);
}

const maxDepth = 8;

function* textsIn(name: string, value: unknown, depth: number): Generator<[string, string]> {
  if (typeof value === "string") yield [name, value];
  else if (typeof value === "object" && value !== null && depth < maxDepth)
    for (const part of Object.values(value)) yield* textsIn(name, part, depth + 1);
}

/** Issues whose messages can't quote a hidden argument: some schema libraries say what they received. */
export function withoutValues(
  issues: readonly ValidationIssue[],
  params: unknown,
  hides: HidesArgument,
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
